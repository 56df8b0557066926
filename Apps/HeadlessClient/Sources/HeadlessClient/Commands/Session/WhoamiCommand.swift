internal import AuthNetworking
internal import SessionModels

/// `whoami`: asks the backend.
package enum WhoamiCommand: Command {
  package static let spec = CommandSpec(
    "whoami",
    summary: "ask the backend who is signed in",
    examples: ["whoami --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    let api = try await context.client.backend().api
    let call = api.currentUser()
    let user = try await withAuthErrors { () async throws(AuthError) -> User in
      let response = try await controller.send(APIRequest(call.method, call.path))
      do throws(AuthError) {
        return try api.user(from: response.httpResponse)
      } catch {
        throw error.with(requestID: response.requestID)
      }
    }
    try context.console.result(UserReport.json(user), UserReport.text(user))
  }
}

extension AuthError {
  /// The same error with the request's id, for the backend's operators.
  func with(requestID: String) -> AuthError {
    var copy = self
    copy.requestID = requestID
    return copy
  }
}

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
    let backend = try await context.client.backend()
    let user = try await withAuthErrors { () async throws(AuthError) -> User in
      // Only the session's own backend may say what is kept beside the session.
      guard context.client.isOfSession(backend, controller) else {
        return try await ask(backend.api, controller)
      }
      let user = try await controller.currentUser()
      if controller.authInfo?.user != user {
        context.console.note("The answer could not be kept for status; --verbose says why")
      }
      return user
    }
    try context.console.result(UserReport.json(user), UserReport.text(user))
  }

  private static func ask(
    _ api: any AuthAPI,
    _ controller: SessionController
  ) async throws(AuthError) -> User {
    let call = api.currentUser()
    let response = try await controller.send(APIRequest(call.method, call.path))
    guard response.status < 400 else { throw controller.failure(of: response) }
    return try api.user(from: response.httpResponse)
  }
}

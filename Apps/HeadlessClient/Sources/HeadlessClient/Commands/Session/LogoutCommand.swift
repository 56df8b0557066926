internal import AuthNetworking

/// `logout`.
package enum LogoutCommand: Command {
  package static let spec = CommandSpec(
    "logout",
    otherNames: ["signout", "sign-out"],
    summary: "sign out here in any case, and on the server if it can be reached",
    examples: ["logout"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let outcome = try await context.client.logout()
    let (isRevoked, text) =
      switch outcome {
      case .nobodyWasSignedIn: (false, "Nobody was signed in here")
      case .everywhere: (true, "Signed out, here and on the server")
      case .here(nil): (false, "Signed out here; the server could not be told")
      case .here(let why?): (false, "Signed out here; the server was not told: \(why)")
      }
    try context.console.result(
      .members(["state": "signedOut", "revoked": .bool(isRevoked)]),
      text
    )
  }
}

internal import AuthNetworking

/// `logout`.
package enum LogoutCommand: Command {
  package static let spec = CommandSpec(
    "logout",
    summary: "sign out here in any case, and on the server if it can be reached",
    examples: ["logout"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let revoked = try await context.client.logout()
    try context.console.result(
      .members(["state": "signedOut", "revoked": .bool(revoked)]),
      revoked ? "Signed out, here and on the server" : "Signed out here"
    )
  }
}

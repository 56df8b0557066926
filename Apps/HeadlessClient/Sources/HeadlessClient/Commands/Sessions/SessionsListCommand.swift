internal import AuthNetworking

/// `sessions list`.
package enum SessionsListCommand: Command {
  package static let spec = CommandSpec(
    "sessions list",
    summary: "list where the user is signed in",
    details: [
      "Asks the backend. Each session is a sign-in on some device: its id, the device, when it was "
        + "begun and last seen, and which one is this one."
    ],
    examples: ["sessions list", "sessions list --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    let sessions = try await withAuthErrors { () async throws(AuthError) in
      try await controller.sessions()
    }
    for session in sessions {
      let report = ServerSessionReport(session, now: context.client.parts.now())
      try context.console.result(report.json, report.text)
    }
  }
}

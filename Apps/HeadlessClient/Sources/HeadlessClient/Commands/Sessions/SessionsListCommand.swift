internal import AuthNetworking

/// `sessions list`.
package enum SessionsListCommand: Command {
  package static let spec = CommandSpec(
    "sessions list",
    summary: "list where the user is signed in",
    details: [
      "Asks the backend. Each session is a sign-in on some device: its id, the device, when it was "
        + "begun and last seen. A star marks this one; --json has the exact times.",
      "In the opaque model an id may be the token of that device, so it is shown by its last 6 "
        + "characters, which sessions revoke takes as well.",
    ],
    examples: ["sessions list", "sessions list --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    let sessions = try await withAuthErrors { () async throws(AuthError) in
      try await controller.sessions()
    }
    let now = context.client.parts.now()
    try await OpaqueSessionID.conceal(sessions, context)
    let reports = sessions.map { ServerSessionReport($0, now: now) }
    if context.console.style.json {
      for report in reports { try context.console.result(report.json, "") }
      return
    }
    guard !reports.isEmpty else { return context.console.note("The server knows of no session") }
    // Before the table cuts them: a part of a secret is not recognised any more.
    let redactor = context.console.redactor(cutsUnknownTokens: false)
    let rows = reports.map { $0.row.map(redactor.redact) }
    let table = Table(ServerSessionReport.headings, rows, flexible: [1, 2])
    try context.console.result(.null, table.text(context.console.style))
  }
}

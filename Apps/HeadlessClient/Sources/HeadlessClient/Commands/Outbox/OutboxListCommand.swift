internal import AuthNetworking
internal import GroupMessages

/// `outbox list`.
package enum OutboxListCommand: Command {
  package static let spec = CommandSpec(
    "outbox list",
    summary: "list the messages that are kept and not sent",
    details: [
      "Asks no server. Each is waiting, or failed where the server has refused it for good. A "
        + "terminal shows how long ago it was written; --json and a pipe have one line each, with the "
        + "exact time. "
        + "What messages send --queue could not send stands here, until it is sent or discarded, or "
        + "the session ends: signing out drops it."
    ],
    examples: ["outbox list", "outbox list --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let unsent = try await context.client.unsentMessages()
    guard !unsent.isEmpty else { return context.console.note("Nothing waits to be sent") }
    let reports = unsent.sorted { $0.key < $1.key }.flatMap { group, sends in
      sends.map { UnsentMessageReport($0, group: group) }
    }
    let console = context.console
    if console.style.resultsAreLive, !console.style.json {
      // Before the table cuts them: a part of a secret is not recognised any more.
      let redactor = console.redactor(cutsUnknownTokens: false)
      let now = context.client.parts.now()
      let rows = reports.map { $0.row(now: now).map(redactor.redact) }
      let table = Table(
        UnsentMessageReport.headings,
        rows,
        flexible: [3, 4, 5],
        narrowest: UnsentMessageReport.narrowest
      )
      return try console.result(.null, table.text(console.style))
    }
    for report in reports { try console.result(report.json, report.text(console)) }
  }
}

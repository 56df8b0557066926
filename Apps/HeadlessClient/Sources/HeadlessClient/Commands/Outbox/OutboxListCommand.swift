internal import AuthNetworking
internal import GroupMessages

/// `outbox list`.
package enum OutboxListCommand: Command {
  package static let spec = CommandSpec(
    "outbox list",
    summary: "list the messages that are kept and not sent",
    details: [
      "Asks no server. One line each: waiting, or failed where the server has refused it for good. "
        + "What messages send --queue could not send stands here, until it is sent or discarded, or "
        + "the session ends: signing out drops it."
    ],
    examples: ["outbox list", "outbox list --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let unsent = try await context.client.unsentMessages()
    for (group, sends) in unsent.sorted(by: { $0.key < $1.key }) {
      for send in sends {
        let report = UnsentMessageReport(send, group: group)
        try context.console.result(report.json, report.text(context.console))
      }
    }
    if unsent.isEmpty { context.console.note("Nothing waits to be sent") }
  }
}

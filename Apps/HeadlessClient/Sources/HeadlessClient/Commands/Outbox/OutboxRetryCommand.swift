internal import GroupMessages

/// `outbox retry ID`.
package enum OutboxRetryCommand: Command {
  package static let spec = CommandSpec(
    "outbox retry",
    operands: ["ID"],
    summary: "send one message again that was refused",
    details: [
      "ID is one of outbox list. Messages of its group that were written before it and wait go first."
    ],
    examples: ["outbox retry 0f8fad5b-d9cb-469f-a165-70867728950e"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let (id, group) = try await UnsentMessage.find(context)
    let messages = try await context.client.groupMessages()
    let message: GroupMessage
    do {
      message = try await messages.outbox.resendNow(id, in: group)
    } catch {
      throw await UnsentMessage.error(error, of: id, context)
    }
    let report = MessageReport(message, isMine: true)
    try context.console.result(report.json, report.text(context.console))
  }
}

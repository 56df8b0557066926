internal import GroupMessages

/// `messages send GROUP TEXT`.
package enum MessagesSendCommand: Command {
  package static let spec = CommandSpec(
    "messages send",
    operands: ["GROUP", "TEXT"],
    summary: "send a message to a group",
    examples: ["messages send general 'Good morning'", "messages send general -- '-_-'"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let messages = try await context.client.groupMessages()
    let message: GroupMessage
    do {
      message = try await messages.send(
        context.invocation.operand(1) ?? "",
        to: context.invocation.operand(0) ?? ""
      )
    } catch {
      throw ClientError(error)
    }
    let report = MessageReport(message, isMine: true)
    try context.console.result(report.json, report.text(context.console))
  }
}

internal import GroupMessages

/// `messages send GROUP TEXT`.
package enum MessagesSendCommand: Command {
  package static let spec = CommandSpec(
    "messages send",
    operands: ["GROUP", "TEXT"],
    options: [
      OptionSpec("queue", .flag, "keep the message until it is sent, also without a network")
    ],
    summary: "send a message to a group",
    details: [
      "Without --queue nothing is kept: a failure (75) says that the message was not sent, or where "
        + "only its answer is missing that it may have arrived. With --queue it is written down first, "
        + "encrypted, and sent after those that wait already. What cannot be sent now waits for outbox send, its line says so, and the status "
        + "is 0; killed in the middle, it is not sent twice. A message that is refused for good is "
        + "69, and stays in outbox list."
    ],
    examples: [
      "messages send general 'Good morning'", "messages send general --queue -- '-_-'",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let group = context.invocation.operand(0) ?? ""
    let text = context.invocation.operand(1) ?? ""
    let messages = try await context.client.groupMessages()
    guard context.invocation.isOn("queue") else {
      return try await send(text, to: group, messages, context)
    }
    try await queue(text, to: group, messages, context)
  }

  private static func queue(
    _ text: String,
    to group: String,
    _ messages: GroupMessages,
    _ context: CommandContext
  ) async throws(ClientError) {
    let id = GroupMessages.newClientMessageID()
    let message: GroupMessage
    do {
      message = try await messages.outbox.send(text, to: group, clientMessageID: id)
    } catch {
      let waiting = (try? messages.outbox.unsent(in: group))?.first {
        $0.clientMessageID == id && $0.state == .sending
      }
      // A session that has ended has taken the message with it.
      guard let waiting, error.code != "sessionChanged" else {
        throw await UnsentMessage.error(error, of: id, context)
      }
      let report = UnsentMessageReport(waiting, group: group, reason: ClientError(error).message)
      try context.console.result(report.json, report.text(context.console))
      context.console.note("The message is kept, and outbox send sends it")
      return
    }
    try print(message, context)
  }

  private static func send(
    _ text: String,
    to group: String,
    _ messages: GroupMessages,
    _ context: CommandContext
  ) async throws(ClientError) {
    let message: GroupMessage
    do {
      message = try await messages.send(text, to: group)
    } catch {
      var shown = ClientError(error)
      if error.isTemporary { shown.advice = advice(on: error, shown.advice) }
      throw shown
    }
    try print(message, context)
  }

  /// What to know of a message that is not kept, after a failure that passes by itself.
  ///
  /// - Parameters:
  ///   - error: what sending it ended with.
  ///   - advice: what there is to say of the failure.
  /// - Returns: the advice for the message and the failure.
  static func advice(on error: MessageError, _ advice: String?) -> String {
    guard error.isWithoutEffect else {
      return "The message is not kept, and may have arrived. messages send --queue keeps it"
    }
    let words = "The message was not sent, and is not kept. messages send --queue keeps it"
    return advice.map { "\(words). \($0)" } ?? words
  }

  private static func print(
    _ message: GroupMessage,
    _ context: CommandContext
  ) throws(ClientError) {
    let report = MessageReport(message, isMine: true)
    try context.console.result(report.json, report.text(context.console))
  }
}

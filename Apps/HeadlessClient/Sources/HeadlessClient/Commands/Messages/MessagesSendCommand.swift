internal import AuthNetworking
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
      "GROUP is the group's id. TEXT is one word for the shell: write it in quotes.",
      "Without --queue nothing is kept: a failure (75) says that the message was not sent, or where "
        + "only its answer is missing that it may have arrived. What waits in the outbox for the group "
        + "goes first; where that cannot go, this is not sent either.",
      "With --queue it is written down first, encrypted, and sent after those that wait already. "
        + "What cannot be sent now waits for outbox send, its line says so, and the status is 0; "
        + "killed in the middle, it is not sent twice. A message that is refused for good is 69, and "
        + "stays in outbox list.",
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
    let id = GroupMessages.newClientMessageID()
    try await check(text, to: group, id, context)
    try await sendWaiting(to: group, messages, context)
    let message: GroupMessage
    do {
      message = try await messages.send(text, to: group, clientMessageID: id)
    } catch {
      var shown = ClientError(error)
      if error.isTemporary { shown.advice = advice(on: error, shown.advice) }
      throw shown
    }
    try print(message, context)
  }

  /// Refuses what cannot be sent before anything is, be it another message.
  private static func check(
    _ text: String,
    to group: String,
    _ id: String,
    _ context: CommandContext
  ) async throws(ClientError) {
    let dialect = MessageDialect(try await context.client.backend().api.name)
    try withMessageErrors { () throws(MessageError) in
      _ = try dialect?.sendRequest(group: group, clientMessageID: id, body: text)
    }
  }

  /// Sends what waits for the group already, which nothing that is written later overtakes.
  private static func sendWaiting(
    to group: String,
    _ messages: GroupMessages,
    _ context: CommandContext
  ) async throws(ClientError) {
    let (delivery, unsent) = try await withMessageErrors { () async throws(MessageError) in
      let delivery = try await messages.outbox.sendWaiting(in: group)
      return (delivery, try messages.outbox.unsent(in: group))
    }
    if !delivery.sent.isEmpty {
      context.console.note(
        "Sent first what waited: \(Counted.text(delivery.sent.count, "message"))"
      )
    }
    guard let error = delivery.failures[group] else { return }
    let waiting = unsent.count { $0.state == .sending }
    var shown = ClientError(error)
    guard waiting > 0 else {
      if !unsent.isEmpty {
        return context.console.note("A message that waited was refused, and stays in outbox list")
      }
      // Another process has discarded it.
      if case .cancelled = error { return }
      throw shown
    }
    shown.advice =
      "\(Counted.text(waiting, "message")) to this group must go first, so this one was not sent, and "
      + "is not kept. messages send --queue keeps it; outbox list shows what waits"
    throw shown
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

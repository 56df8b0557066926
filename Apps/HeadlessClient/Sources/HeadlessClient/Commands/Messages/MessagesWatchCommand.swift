internal import GroupMessages

/// `messages watch GROUP`.
package enum MessagesWatchCommand: Command {
  package static let showsWaiting = false

  package static let spec = CommandSpec(
    "messages watch",
    operands: ["GROUP"],
    options: [
      OptionSpec("after", .text("SEQUENCE"), "start after it", default: "what comes next"),
      OptionSpec("count", .integer("N", 1...Int.max), "end after N messages"),
    ],
    summary: "print a group's messages as they come",
    details: [
      "Streams until interrupted, through reconnects and token changes, each message once and in "
        + "order. --after 0 starts with the first message of all."
    ],
    examples: ["messages watch general", "messages watch general --after 0 --count 10 --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let invocation = context.invocation
    let after = try MessageInput.sequence(invocation.value("after"), option: "after")
    let messages = try await context.client.groupMessages(isLive: true)
    var left = invocation.integer("count") ?? .max
    var watch = messages.watch(group: invocation.operand(0) ?? "", after: after)
      .makeAsyncIterator()
    while left > 0 {
      guard let event = try await next(&watch) else { throw ClientError(.interrupted, "") }
      switch event {
      case .message(let message):
        let isMine = try await withMessageErrors { () async throws(MessageError) in
          try await messages.currentUser.isMine(message)
        }
        let report = MessageReport(message, isMine: isMine)
        try context.console.result(report.json, report.text(context.console))
        left -= 1
      case .typing(let user):
        context.console.progress("\(user) is writing …")
      case .gap(let after, let before):
        context.console.warning("the messages between \(after) and \(before) are missing")
      }
    }
  }

  private static func next(
    _ watch: inout GroupWatch.AsyncIterator
  ) async throws(ClientError) -> GroupEvent? {
    do {
      return try await watch.next()
    } catch {
      throw ClientError(error)
    }
  }
}

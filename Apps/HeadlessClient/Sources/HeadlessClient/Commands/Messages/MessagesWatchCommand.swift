internal import AuthNetworking
internal import GroupMessages
internal import Realtime
internal import SessionModels

/// `messages watch GROUP`: a chat at a terminal, lines everywhere else.
package enum MessagesWatchCommand: Command {
  package static let showsWaiting = false

  package static let spec = CommandSpec(
    "messages watch",
    operands: ["GROUP"],
    options: [
      OptionSpec("after", .text("SEQUENCE"), "start after it", default: "what comes next"),
      OptionSpec("count", .integer("N", 1...Int.max), "end after N messages"),
      OptionSpec("plain", .flag, "print lines at a terminal, too, instead of the chat"),
    ],
    otherNames: ["chat"],
    summary: "chat in a group, or print its messages as they come",
    details: [
      "At a terminal it is a chat: what was written, what comes, who is writing, and a line to "
        + "write in. Enter sends; what cannot be sent yet is kept and sent once. PgUp and PgDn read "
        + "back, /help lists the commands, Ctrl-D or /quit leaves (0), Ctrl-C too (130).",
      "With --json, --plain, --after or --count, and where input or output is no terminal, it prints "
        + "lines: until interrupted, through reconnects and token changes, each message once and in "
        + "order. --after 0 starts with the first message of all. A note on stderr says when the "
        + "connection is lost, and until when it waits.",
    ],
    examples: ["messages watch general", "messages watch general --after 0 --count 10 --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let after = try MessageInput.sequence(context.invocation.value("after"), option: "after")
    let messages = try await context.client.groupMessages(isLive: true)
    if isChat(context), let terminal = ChatTerminal() {
      return try await chat(context, messages, on: terminal)
    }
    try await printLines(context, messages, after: after)
  }

  // MARK: Chat

  private static func isChat(_ context: CommandContext) -> Bool {
    let invocation = context.invocation
    return context.console.style.resultsAreLive && !context.console.style.json
      && !invocation.isOn("plain") && invocation.value("after") == nil
      && invocation.value("count") == nil
      && TerminalAbilities(environment: context.environment).movesCursor
  }

  private static func chat(
    _ context: CommandContext,
    _ messages: GroupMessages,
    on terminal: ChatTerminal
  ) async throws(ClientError) {
    context.interruptions?.onInterrupt {
      terminal.restore()
      return .no
    }
    let controller = try await context.client.controller()
    let console = context.console
    let session = ChatSession(
      terminal,
      messages.timeline(of: context.invocation.operand(0) ?? ""),
      messages.outbox,
      hasColors: context.console.style.colorsResults,
      now: context.client.parts.now,
      redactor: { console.redactor(cutsUnknownTokens: false) },
      whySignedOut: {
        if case .signedOut(let reason) = controller.state { reason.words } else { nil }
      }
    )
    try await session.run(context.client.realtimeStates())
  }

  // MARK: Lines

  private static func printLines(
    _ context: CommandContext,
    _ messages: GroupMessages,
    after: UInt64?
  ) async throws(ClientError) {
    let states = context.client.realtimeStates()
    let (console, now) = (context.console, context.client.parts.now)
    let notes = Task {
      var notes = ConnectionNotes()
      for await state in states {
        let text = notes.note(on: state, now: .now, wall: now(), clock: .local)
        if let text { console.note(text) }
      }
    }
    defer { notes.cancel() }
    var left = context.invocation.integer("count") ?? .max
    var watch = messages.watch(group: context.invocation.operand(0) ?? "", after: after)
      .makeAsyncIterator()
    while left > 0 {
      guard let event = try await next(&watch) else { throw ClientError(.interrupted, "") }
      switch event {
      case .message(let message):
        let isMine = try await withMessageErrors { () async throws(MessageError) in
          try await messages.currentUser.isMine(message)
        }
        let report = MessageReport(message, isMine: isMine)
        try console.result(report.json, report.text(console))
        left -= 1
      case .typing(let user):
        console.progress("\(Printable.text(user.rawValue)) is writing …")
      case .gap(let after, let before):
        console.warning("the messages between \(after) and \(before) are missing")
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

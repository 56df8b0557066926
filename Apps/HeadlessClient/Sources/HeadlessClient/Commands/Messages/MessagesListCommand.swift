internal import AuthNetworking
internal import GroupMessages

/// `messages list GROUP`.
package enum MessagesListCommand: Command {
  package static let spec = CommandSpec(
    "messages list",
    operands: ["GROUP"],
    options: [
      OptionSpec("before", .text("SEQUENCE"), "only what comes before it", default: "the newest"),
      OptionSpec("limit", .text("N"), "at most N, 1 to 200", default: "50"),
    ],
    summary: "print a group's messages, oldest first",
    details: [
      "On a terminal it says how long ago each was sent; elsewhere, and with --json, exactly when."
    ],
    examples: ["messages list general", "messages list general --before 120 --limit 20 --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let invocation = context.invocation
    let before = try MessageInput.sequence(invocation.value("before"), option: "before")
    let limit = try MessageInput.limit(invocation.value("limit")) ?? HistoryQuery.defaultLimit
    let query: HistoryQuery
    do {
      query = try HistoryQuery(before: before, limit: limit)
    } catch {
      throw ClientError(error)
    }
    let messages = try await context.client.groupMessages()
    let page = try await withMessageErrors { () async throws(MessageError) in
      try await messages.history(
        group: invocation.operand(0) ?? "",
        before: query.before,
        limit: query.limit
      )
    }
    var lines: [(message: GroupMessage, isMine: Bool)] = []
    for message in page.messages {
      let isMine = try await withMessageErrors { () async throws(MessageError) in
        try await messages.currentUser.isMine(message)
      }
      lines.append((message, isMine))
    }
    let console = context.console
    if console.style.resultsAreLive, !console.style.json {
      guard !lines.isEmpty else { return console.note("There is no message") }
      let table = MessageTable(lines, now: context.client.parts.now())
      return try console.result(.null, table.text(console))
    }
    for (message, isMine) in lines {
      let report = MessageReport(message, isMine: isMine)
      try console.result(report.json, report.text(console))
    }
  }
}

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
    examples: ["messages list general", "messages list general --before 120 --limit 20 --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let invocation = context.invocation
    let before = try MessageInput.sequence(invocation.value("before"), option: "before")
    let limit = invocation.value("limit").map { Int($0) ?? 0 } ?? HistoryQuery.defaultLimit
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
    for message in page.messages {
      let isMine = try await withMessageErrors { () async throws(MessageError) in
        try await messages.currentUser.isMine(message)
      }
      let report = MessageReport(message, isMine: isMine)
      try context.console.result(report.json, report.text(context.console))
    }
  }
}

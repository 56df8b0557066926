internal import AuthNetworking
internal import GroupMessages

/// `outbox discard ID`.
package enum OutboxDiscardCommand: Command {
  package static let spec = CommandSpec(
    "outbox discard",
    operands: ["ID"],
    summary: "give up one message that is not sent",
    details: ["ID is one of outbox list. The message is removed, and overwritten where it was."],
    examples: ["outbox discard 0f8fad5b-d9cb-469f-a165-70867728950e"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let (id, group) = try await UnsentMessage.find(context)
    let messages = try await context.client.groupMessages()
    let isDiscarded = try await withMessageErrors { () async throws(MessageError) in
      try await messages.outbox.discard(id, in: group)
    }
    try context.console.result(
      .members(["discarded": .bool(isDiscarded), "clientMessageID": .string(id)]),
      isDiscarded ? "Discarded" : "It was sent or discarded in the meantime"
    )
  }
}

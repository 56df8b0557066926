internal import GroupMessages

/// The message that an `outbox` command names.
enum UnsentMessage {
  /// The id of the command line, and whom that message is for.
  ///
  /// - Throws: ``ClientError`` of code `notFound` where nothing with that id waits.
  static func find(
    _ context: CommandContext
  ) async throws(ClientError) -> (id: String, group: String) {
    let id = context.invocation.operand(0) ?? ""
    let unsent = try await context.client.unsentMessages()
    let group = unsent.first { $0.value.contains { $0.clientMessageID == id } }?.key
    guard let group else {
      throw ClientError(
        .notFound,
        "No message of that id waits to be sent",
        advice: "outbox list shows the ids; what was sent is not in it any more"
      )
    }
    return (id, group)
  }

  /// Why a message was not sent, and what becomes of it.
  static func error(
    _ error: MessageError,
    of id: String,
    _ context: CommandContext
  ) async -> ClientError {
    var shown = ClientError(error)
    // Where the session has ended, nothing is kept either.
    let unsent = ((try? await context.client.unsentMessages()) ?? [:]).values.joined()
    switch unsent.first(where: { $0.clientMessageID == id })?.state {
    case .sending: shown.advice = "The message is kept, and outbox send sends it"
    case .failed:
      shown.advice = "The message is kept: outbox retry \(id) or outbox discard \(id)"
    case .sent, nil: break
    }
    return shown
  }
}

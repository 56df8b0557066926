internal import AuthNetworking
internal import GroupMessages
internal import SecureStorage

extension Composition {
  /// Group messages over the session.
  ///
  /// - Parameter isLive: whether they are to be watched, which needs the realtime endpoint.
  /// - Returns: them.
  /// - Throws: ``ClientError``: `notSignedIn`, `usage` where no endpoint is known.
  func groupMessages(isLive: Bool = false) async throws(ClientError) -> GroupMessages {
    let controller = try await controller()
    let backend = try await backend()
    guard let dialect = MessageDialect(backend.api.name) else {
      throw ClientError(.internal, "This build has no messages in \(backend.api.name)")
    }
    let client = isLive ? try await realtime(carriesToken: true).client : nil
    return GroupMessages(
      requests: SessionRequests(controller: controller),
      events: client.map { RealtimeEvents(client: $0) } ?? AbsentEvents(),
      dialect: dialect,
      storage: try await messageStorage(backend, controller),
      typing: client.map { RealtimeTyping(client: $0) }
    )
  }

  /// Messages that wait to be sent, or were refused, by the group; no network is asked.
  ///
  /// - Throws: ``ClientError`` of code `notSignedIn` where nobody is signed in.
  func unsentMessages() async throws(ClientError) -> [String: [OwnSend]] {
    guard try await sessionRecord().authInfo != nil, let store = try await storeForReading() else {
      throw signedOutError(try await controller().state)
    }
    return try withMessageErrors { () throws(MessageError) in
      try Outbox.unsent(in: StoredMessages(store: store))
    }
  }

  /// Says how many messages go with the session.
  func noteUnsentMessages() {
    guard let store = openStore,
      let unsent = try? Outbox.unsent(in: StoredMessages(store: store)), !unsent.isEmpty
    else { return }
    let count = unsent.values.reduce(0) { $0 + $1.count }
    console.note(
      "\(Counted.text(count, "message")) that nobody has got yet: dropped with the session"
    )
  }

  /// Where messages are kept: with the session, if they go to its own backend.
  private func messageStorage(
    _ backend: Backend,
    _ controller: SessionController
  ) async throws(ClientError) -> any MessageStorage {
    guard isOfSession(backend, controller), let store = try await storeForReading() else {
      return InMemoryMessageStorage(period: nil)
    }
    return StoredMessages(store: store)
  }
}

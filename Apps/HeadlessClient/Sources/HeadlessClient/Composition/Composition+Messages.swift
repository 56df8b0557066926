internal import AuthNetworking
internal import GroupMessages

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
    return GroupMessages(
      requests: SessionRequests(controller: controller),
      events: try await events(isLive),
      dialect: dialect
    )
  }

  private func events(_ isLive: Bool) async throws(ClientError) -> any EventStream {
    guard isLive else { return AbsentEvents() }
    return RealtimeEvents(client: try await realtime(carriesToken: true).client)
  }
}

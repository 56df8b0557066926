internal import AuthNetworking
internal import GroupMessages

extension Composition {
  /// Group messages over the session.
  func groupMessages() async throws(ClientError) -> GroupMessages {
    let controller = try await controller()
    let backend = try await backend()
    guard let dialect = MessageDialect(backend.api.name) else {
      throw ClientError(.internal, "This build has no messages in \(backend.api.name)")
    }
    return GroupMessages(
      requests: SessionRequests(controller: controller),
      events: try await events(),
      dialect: dialect
    )
  }

  private func events() async throws(ClientError) -> any EventStream { AbsentEvents() }
}

public import SessionModels

/// How a backend writes group messages: paths, names and envelope (http.md).
///
/// It only turns calls into requests and answers into values. Every answer, however broken,
/// gives a value or a ``MessageError``.
public enum MessageDialect: Hashable, Sendable, CaseIterable {
  /// SkyConnect: flat snake_case bodies.
  case skyConnect
  /// KSN: camelCase in an envelope `{success, data}`.
  case ksn

  /// The dialect of a session, or nil where this package does not speak it.
  public init?(_ name: DialectName) {
    switch name {
    case .skyConnect: self = .skyConnect
    case .ksn: self = .ksn
    default: return nil
    }
  }
}

// MARK: Requests

extension MessageDialect {
  /// The request for who is signed in.
  public func currentUserRequest() -> MessageRequest {
    MessageRequest(method: .get, path: self == .ksn ? "/users/me" : "/auth/me")
  }

  /// The request for a part of a group's history.
  ///
  /// - Throws: ``MessageError/invalidInput(_:)`` where the group cannot stand in a path.
  public func historyRequest(
    group: String,
    query: HistoryQuery
  ) throws(MessageError) -> MessageRequest {
    var items: [MessageRequest.QueryItem] = []
    if let before = query.before { items.append(.init(name: "before", value: String(before))) }
    items.append(.init(name: "limit", value: String(query.limit)))
    return MessageRequest(method: .get, path: try path(of: group), query: items)
  }

  /// The request that sends a message.
  ///
  /// Equal arguments give equal bytes.
  ///
  /// - Throws: ``MessageError/invalidInput(_:)`` where group, text or id is empty, or the group
  ///   cannot stand in a path.
  public func sendRequest(
    group: String,
    clientMessageID: String,
    body: String
  ) throws(MessageError) -> MessageRequest {
    guard !body.isEmpty else { throw .invalidInput(.emptyBody) }
    guard !clientMessageID.isEmpty else { throw .invalidInput(.emptyClientMessageID) }
    let wire = WireSend(clientMessageId: clientMessageID, body: body)
    return MessageRequest(
      method: .post,
      path: try path(of: group),
      body: try WireFormat(dialect: self).encode(wire)
    )
  }

  private func path(of group: String) throws(MessageError) -> String {
    // Dot segments are resolved by clients and servers even when they are percent-encoded, so
    // no encoding gets them through as a name.
    guard !["", ".", ".."].contains(group) else { throw .invalidInput(.group) }
    return "/groups/\(PercentEncoding.encode(group))/messages"
  }
}

// MARK: Answers

extension MessageDialect {
  /// The signed-in user's id out of the answer to ``currentUserRequest()``.
  ///
  /// - Throws: ``MessageError/rejected(_:)``, ``MessageError/malformedAnswer(_:)``.
  public func currentUserID(from response: MessageResponse) throws(MessageError) -> UserID {
    try WireFormat(dialect: self).decode(WireUser.self, from: response, group: nil).id
  }

  /// The page out of the answer to ``historyRequest(group:query:)``.
  ///
  /// - Throws: ``MessageError/groupNotFound(_:)``, ``MessageError/rejected(_:)``,
  ///   ``MessageError/malformedAnswer(_:)``.
  public func historyPage(
    from response: MessageResponse,
    group: String
  ) throws(MessageError) -> HistoryPage {
    let page = try WireFormat(dialect: self).decode(WirePage.self, from: response, group: group)
    return HistoryPage(messages: page.messages.map(\.message), hasMore: page.hasMore)
  }

  /// The message out of the answer to ``sendRequest(group:clientMessageID:body:)``.
  ///
  /// - Throws: ``MessageError/groupNotFound(_:)``, ``MessageError/rejected(_:)``,
  ///   ``MessageError/malformedAnswer(_:)``.
  public func sentMessage(
    from response: MessageResponse,
    group: String
  ) throws(MessageError) -> GroupMessage {
    try WireFormat(dialect: self).decode(WireMessage.self, from: response, group: group).message
  }
}

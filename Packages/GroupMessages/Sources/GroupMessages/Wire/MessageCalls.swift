internal import SessionModels

/// The three calls: a request out, its answer in, every error one of ours.
struct MessageCalls: Sendable {
  let requests: any AuthenticatedRequests
  let dialect: MessageDialect
  /// The signed-in period that the calls belong to; nil for whoever is signed in.
  var period: SessionPeriod?

  /// The same calls, for one signed-in period only.
  func inPeriod(_ period: SessionPeriod?) -> MessageCalls {
    MessageCalls(requests: requests, dialect: dialect, period: period)
  }

  func currentUserID() async throws(MessageError) -> UserID {
    try dialect.currentUserID(from: try await perform(dialect.currentUserRequest()))
  }

  func history(group: String, query: HistoryQuery) async throws(MessageError) -> HistoryPage {
    let request = try dialect.historyRequest(group: group, query: query)
    let page = try dialect.historyPage(from: try await perform(request), group: group)
    guard let before = query.before else { return page }
    // A server that ignores `before` must not make anybody see a message twice.
    return HistoryPage(
      messages: page.messages.filter { $0.sequence < before },
      hasMore: page.hasMore
    )
  }

  func send(
    _ text: String,
    to group: String,
    clientMessageID: String
  ) async throws(MessageError) -> GroupMessage {
    let request = try dialect.sendRequest(
      group: group,
      clientMessageID: clientMessageID,
      body: text
    )
    return try dialect.sentMessage(from: try await perform(request), group: group)
  }

  private func perform(_ request: MessageRequest) async throws(MessageError) -> MessageResponse {
    var request = request
    request.period = period
    do {
      return try await requests.perform(request)
    } catch {
      throw MessageError(portError: error, isTemporary: requests.isTemporary(error))
    }
  }
}

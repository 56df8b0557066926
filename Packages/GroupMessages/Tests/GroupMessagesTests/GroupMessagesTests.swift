import GroupMessages
import SessionModels
import Testing

@Suite struct GroupMessagesTests {
  private func messages(_ requests: ScriptedRequests) -> GroupMessages {
    GroupMessages(requests: requests, events: ScriptedEvents(), dialect: .skyConnect)
  }

  private func messages(_ group: ServerGroup) -> (GroupMessages, ScriptedRequests) {
    let requests = ScriptedRequests { request, _ in group.answer(request) }
    return (messages(requests), requests)
  }

  @Test func `history is oldest first, the newest 50 unless said otherwise`() async throws {
    let (messages, requests) = messages(ServerGroup(newest: 80))
    let page = try await messages.history(group: "demo")
    #expect(page.messages.map(\.sequence) == Array(31...80))
    #expect(page.hasMore)
    #expect(requests.historyTargets == ["/groups/demo/messages?limit=50"])
  }

  @Test func `history goes back from a sequence`() async throws {
    let (messages, _) = messages(ServerGroup(newest: 80))
    let page = try await messages.history(group: "demo", before: 4, limit: 200)
    #expect(page.messages.map(\.sequence) == [1, 2, 3])
    #expect(!page.hasMore)
  }

  @Test func `a server that ignores before repeats nothing`() async throws {
    let requests = ScriptedRequests { _, _ in
      ServerGroup(newest: 9).answer(MessageRequest(method: .get, path: "/groups/demo/messages"))
    }
    let page = try await messages(requests).history(group: "demo", before: 4)
    #expect(page.messages.map(\.sequence) == [1, 2, 3])
  }

  @Test(arguments: [1, 200])
  func `a limit of 1 to 200 is sent`(limit: Int) async throws {
    let (messages, requests) = messages(ServerGroup(newest: 1))
    _ = try await messages.history(group: "demo", limit: limit)
    #expect(requests.historyTargets == ["/groups/demo/messages?limit=\(limit)"])
  }

  @Test(
    arguments: [(nil, 0), (nil, 201), (nil, -1), (nil, .max), (0, 50), (.max, 50)]
      as [(UInt64?, Int)]
  )
  func `another limit or before is refused, and nothing is sent`(
    before: UInt64?,
    limit: Int
  ) async {
    let (messages, requests) = messages(ServerGroup(newest: 1))
    let error = await #expect(throws: MessageError.self) {
      try await messages.history(group: "demo", before: before, limit: limit)
    }
    #expect(error?.code == "invalidInput")
    #expect(requests.requests.isEmpty)
  }

  @Test func `send returns the message as the server has it`() async throws {
    let requests = ScriptedRequests { _, _ in
      MessageResponse(
        201,
        #"{"id":1,"group_id":"demo","sender_id":"user-1","client_message_id":"c","body":"hi","#
          + #""sequence":9,"sent_at":"2026-04-17T10:00:00Z"}"#
      )
    }
    let message = try await messages(requests).send("hi", to: "demo", clientMessageID: "c")
    #expect(message.sequence == 9)
    #expect(message.clientMessageID == "c")
  }

  @Test func `a resend after a lost answer is the same request`() async throws {
    let requests = ScriptedRequests { _, index in
      if index == 0 { throw PortError() }
      return MessageResponse(
        200,
        #"{"id":1,"group_id":"demo","sender_id":"user-1","client_message_id":"c","body":"hi","#
          + #""sequence":9,"sent_at":"2026-04-17T10:00:00Z"}"#
      )
    }
    let messages = messages(requests)
    let error = await #expect(throws: MessageError.self) {
      try await messages.send("hi", to: "demo", clientMessageID: "c")
    }
    #expect(error?.isTemporary == true)
    try await messages.send("hi", to: "demo", clientMessageID: "c")
    #expect(requests.requests.count == 2)
    #expect(requests.requests[0] == requests.requests[1])
  }

  @Test func `two messages have two client message ids`() async throws {
    let requests = ScriptedRequests { _, _ in MessageResponse(500, "") }
    let messages = messages(requests)
    for _ in 0..<2 { _ = try? await messages.send("hi", to: "demo") }
    #expect(Set(requests.requests.map(\.body)).count == 2)
  }

  @Test func `an error of the port is passed on as it is`() async {
    let messages = messages(ScriptedRequests { _, _ in throw PortError(isTemporary: false) })
    let error = await #expect(throws: MessageError.self) {
      try await messages.history(group: "demo")
    }
    guard case .underlying(let underlying, isTemporary: false) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(underlying as? PortError == PortError(isTemporary: false))
  }

  @Test func `a cancelled request is cancelled, not failed`() async {
    let messages = messages(ScriptedRequests { _, _ in throw CancellationError() })
    let error = await #expect(throws: MessageError.self) {
      try await messages.history(group: "demo")
    }
    #expect(error?.code == "cancelled")
  }

  @Test func `every problem has a message of its own`() {
    let problems: [MessageInputProblem] = [
      .group, .limit(0), .before(0), .emptyBody, .emptyClientMessageID,
    ]
    #expect(Set(problems.map(\.message)).count == problems.count)
    #expect(MessageInputProblem.limit(0).message == "The limit must be 1 to 200, not 0")
  }
}

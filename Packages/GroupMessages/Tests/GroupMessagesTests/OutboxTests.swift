import GroupMessages
import SessionModels
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OutboxTests {
  let storage = InMemoryMessageStorage()
  let clock = VirtualClock()

  func messages(at server: ChatServer) -> GroupMessages {
    server.messages(keptIn: storage, clock: clock, at: 7)
  }

  @Test func `what is written is sent, in order`() async throws {
    let server = ChatServer()
    let messages = messages(at: server)
    for number in 1...20 { try await messages.outbox.write("\(number)", to: "demo") }
    let last = try await messages.outbox.send("last", to: "demo")
    #expect(server.mine == (1...20).map { "\($0)" } + ["last"])
    #expect(last.sequence == 21)
    #expect(try messages.outbox.unsent().isEmpty)
    #expect(storage.keys(in: SessionPeriod(generation: 1)) == [])
  }

  @Test func `what was written offline is sent by the next process, once and in order`()
    async throws
  {
    let offline = ChatServer { _, _ in .lost }
    do {
      let messages = messages(at: offline)
      for number in 1...3 { try await messages.outbox.write("\(number)", to: "demo") }
      #expect(try messages.outbox.unsent(in: "demo").map(\.body) == ["1", "2", "3"])
    }
    let server = ChatServer()
    let delivery = try await messages(at: server).outbox.sendWaiting()
    #expect(delivery.sent.map(\.body) == ["1", "2", "3"])
    #expect(delivery.failures.isEmpty)
    #expect(server.mine == ["1", "2", "3"])
  }

  @Test func `what waits in one group is sent by itself, and stops at what cannot be sent`()
    async throws
  {
    let offline = ChatServer { _, _ in .lost }
    do {
      let messages = messages(at: offline)
      for number in 1...3 { try await messages.outbox.write("\(number)", to: "demo") }
      try await messages.outbox.write("elsewhere", to: "other")
    }
    let server = ChatServer { _, index in index == 0 ? .answered : .lost }
    let messages = messages(at: server)
    let delivery = try await messages.outbox.sendWaiting(in: "demo")
    #expect(delivery.sent.map(\.body) == ["1"])
    #expect(delivery.failures.keys.sorted() == ["demo"])
    #expect(try messages.outbox.unsent(in: "demo").map(\.body) == ["2", "3"])
    #expect(try messages.outbox.unsent(in: "other").map(\.body) == ["elsewhere"])
    #expect(server.mine == ["1"])
  }

  @Test func `a message whose answer was lost is not sent twice`() async throws {
    let server = ChatServer { _, index in index == 0 ? .answerLost : .answered }
    let messages = messages(at: server)
    let error = await #expect(throws: MessageError.self) {
      try await messages.outbox.send("once", to: "demo")
    }
    #expect(error?.isTemporary == true)
    let delivery = try await messages.outbox.sendWaiting()
    #expect(delivery.sent.map(\.body) == ["once"])
    #expect(server.mine == ["once"])
    #expect(Set(server.requests.map(\.body)).count == 1)
  }

  @Test func `a failure is followed by another try, later and later, and not before Retry-After`()
    async throws
  {
    let server = ChatServer { _, index in
      switch index {
      case 0: .lost
      case 1: .refused(503)
      case 2: .refused(429, retryAfter: .seconds(90))
      case 3: .refused(401)
      default: .answered
      }
    }
    let messages = messages(at: server)
    try await messages.outbox.write("patience", to: "demo")
    for (number, wait) in [1, 2, 90, 8].enumerated() {
      await server.posts.wait(for: number + 1)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(wait) - .milliseconds(1))
      #expect(server.requests.count == number + 1)
      clock.advance(by: .milliseconds(1))
    }
    await server.posts.wait(for: 5)
    #expect(server.mine == ["patience"])
  }

  @Test func `what the server has asked to wait for, no message of any group cuts short`()
    async throws
  {
    let server = ChatServer { _, index in
      index == 0 ? .refused(429, retryAfter: .seconds(90)) : .answered
    }
    let messages = messages(at: server)
    for group in ["one", "one", "two"] {
      let error = await #expect(throws: MessageError.self) {
        try await messages.outbox.send("now", to: group)
      }
      #expect(error?.retryAfter == .seconds(90))
    }
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [400, 403, 404, 409, 413, 422])
  func `a message refused for good stays as failed, and those after it go on`(status: Int)
    async throws
  {
    // A word that no random id can have in it.
    let server = ChatServer { request, _ in
      String(decoding: request.body ?? [], as: UTF8.self).contains("rude")
        ? .refused(status) : .answered
    }
    let messages = messages(at: server)
    let rude = try await messages.outbox.write("rude", to: "demo")
    _ = try await messages.outbox.send("good", to: "demo")
    #expect(server.mine == ["good"])
    let unsent = try messages.outbox.unsent(in: "demo")
    #expect(unsent.map(\.state) == [.failed])
    #expect(unsent.first?.refusal?.isEmpty == false)
    // A restart changes nothing about it, and nobody sends it again by himself.
    let next = self.messages(at: server)
    #expect(try await next.outbox.sendWaiting().sent.isEmpty)
    #expect(try next.outbox.unsent(in: "demo").map(\.state) == [.failed])
    #expect(try await next.outbox.discard(rude.clientMessageID, in: "demo"))
    #expect(try next.outbox.unsent().isEmpty)
  }

  @Test func `a failed message that is sent again goes by its old id`() async throws {
    let server = ChatServer { _, index in index == 0 ? .refused(403) : .answered }
    let messages = messages(at: server)
    let error = await #expect(throws: MessageError.self) {
      try await messages.outbox.send("again", to: "demo", clientMessageID: "c")
    }
    #expect(error?.isTemporary == false)
    #expect(try await messages.outbox.resend("c", in: "demo"))
    await server.posts.wait(for: 2)
    #expect(server.messages.map(\.clientMessageID) == ["c"])
    #expect(try await !messages.outbox.resend("another", in: "demo"))
  }

  @Test func `R4: unsent messages go with the session, and are never sent as another's`()
    async throws
  {
    let gate = Gate()
    let server = ChatServer { _, index in index == 0 ? .held(gate) : .answered }
    let messages = messages(at: server)
    try await messages.outbox.write("mine", to: "demo")
    try await messages.outbox.write("mine too", to: "demo")
    await gate.waitForArrivals()
    storage.begin(SessionPeriod(generation: 2))
    gate.open()
    await server.posts.wait(for: 1)
    #expect(try messages.outbox.unsent().isEmpty)
    _ = try await messages.outbox.send("the next user's", to: "demo")
    // The first was under way; its port would have refused it had it not been. The second stayed.
    #expect(server.requests.map(\.period?.generation) == [1, 2])
    #expect(server.messages.map(\.body) == ["mine", "the next user's"])
  }

  @Test func `signed out, nothing is taken`() async {
    storage.begin(nil)
    let messages = messages(at: ChatServer())
    let error = await #expect(throws: MessageError.self) {
      try await messages.outbox.write("hello", to: "demo")
    }
    #expect(error?.code == "sessionChanged")
  }

  @Test(arguments: [("", "demo"), ("x", ".."), ("x", "")])
  func `what can never be sent is refused before it is kept`(text: String, group: String) async {
    let messages = messages(at: ChatServer())
    let error = await #expect(throws: MessageError.self) {
      try await messages.outbox.write(text, to: group)
    }
    #expect(error?.code == "invalidInput")
    #expect(storage.keys(in: SessionPeriod(generation: 1)) == [])
  }

  @Test func `an outbox has bounds`() async throws {
    let messages = messages(at: ChatServer { _, _ in .lost })
    for number in 0..<Outbox.mostUnsent { try await messages.outbox.write("\(number)", to: "demo") }
    let error = await #expect(throws: MessageError.self) {
      try await messages.outbox.write("one more", to: "demo")
    }
    #expect(error?.description.contains("200") == true)
    let long = String(repeating: "x", count: Outbox.mostBytes + 1)
    await #expect(throws: MessageError.self) { try await messages.outbox.write(long, to: "other") }
  }

  @Test func `two processes on one storage send each message once, and in order`() async throws {
    let server = ChatServer()
    let (first, second) = (messages(at: server), messages(at: server))
    for number in 0..<20 {
      try await (number.isMultiple(of: 2) ? first : second).outbox.write("\(number)", to: "demo")
    }
    _ = try await first.outbox.sendWaiting()
    _ = try await second.outbox.sendWaiting()
    #expect(server.mine == (0..<20).map { "\($0)" })
    #expect(try first.outbox.unsent().isEmpty)
  }
}

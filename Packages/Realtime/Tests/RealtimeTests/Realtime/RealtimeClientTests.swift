import GRPC
import Realtime
import RealtimeTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RealtimeClientTests {
  private struct SignedOut: Error {}

  private func client(
    _ server: RealtimeTestServer,
    tokens: (any TokenProvider)? = nil,
    clock: any GRPCClock = SystemGRPCClock()
  ) throws -> RealtimeClient {
    RealtimeClient(to: try GRPCEndpoint(server.url), tokens: tokens, clock: clock)
  }

  @Test func `a sent message comes back, and a repeat returns the first`() async throws {
    let server = try await RealtimeTestServer()
    let client = try client(server)
    let first = try await client.send(groupID: "g", clientMessageID: "c", body: "hi")
    let again = try await client.send(groupID: "g", clientMessageID: "c", body: "hi")
    #expect(first.sequence == 1 && first.body == "hi" && first.clientMessageID == "c")
    #expect(again == first)
  }

  @Test func `a subscription begins after what is known`() async throws {
    let server = try await RealtimeTestServer()
    for body in ["a", "b", "c"] { server.post(body, to: "g") }
    var events = try client(server).subscribe(groupID: "g", afterSequence: 1).makeAsyncIterator()
    #expect(try await events.next()?.body == "b")
    #expect(try await events.next()?.body == "c")
    server.post("d", to: "g")
    #expect(try await events.next()?.body == "d")
  }

  @Test func `no gap and no repeat over a hundred restarts of the server and ends of the stream`()
    async throws
  {
    let server = try await RealtimeTestServer()
    let clock = VirtualGRPCClock()
    let tokens = ScriptedTokens("0", afterRefusals: (1...200).map { "\($0)" })
    let client = try client(server, tokens: tokens, clock: clock)
    // Whoever waits is woken at once: the time between attempts is not what is tested here.
    let hurry = Task {
      while !Task.isCancelled { clock.advance(by: await clock.nextSleep()) }
    }
    defer { hurry.cancel() }
    var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
    var bodies: [String] = []
    for round in 0..<150 {
      server.post("\(round)", to: "g")
      switch round % 6 {
      case 0, 1, 2:
        server.stop()
        server.post("\(round) while away", to: "g")
        try await server.restart()
      case 3:
        try await server.restart()
        server.post("\(round) while away", to: "g")
      case 4:
        server.endSubscriptions(GRPCStatus(.unavailable))
        server.post("\(round) while away", to: "g")
      default:
        server.revokeSubscriptions("test")
        server.post("\(round) while away", to: "g")
      }
      for _ in 0..<2 { bodies.append(try await events.next()?.body ?? "nothing") }
    }
    #expect(bodies == (0..<150).flatMap { ["\($0)", "\($0) while away"] })
    // Whoever waits to hurry others leaves with the last one.
    hurry.cancel()
    let end = clock.now + .seconds(100)
    let last = Task { try await clock.sleep(until: end) }
    await hurry.value
    clock.advance(by: .seconds(200))
    try await last.value
  }

  @Test func `it waits for the first connection too, and says so`() async throws {
    let server = try await RealtimeTestServer()
    let clock = VirtualGRPCClock()
    let client = try client(server, clock: clock)
    server.stop()
    let reader = Task {
      var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
      return try await events.next()?.body
    }
    let pause = await clock.nextSleep()
    #expect(pause >= .milliseconds(800) && pause <= .milliseconds(1200))
    #expect(client.state == .waiting(until: clock.now + pause))
    server.post("at last", to: "g")
    try await server.restart()
    clock.advance(by: pause)
    #expect(try await reader.value == "at last")
  }

  @Test func `another network ends the pause at once`() async throws {
    let server = try await RealtimeTestServer()
    let clock = VirtualGRPCClock()
    let client = try client(server, clock: clock)
    server.stop()
    let reader = Task {
      var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
      return try await events.next()?.body
    }
    _ = await clock.nextSleep()
    server.post("here", to: "g")
    try await server.restart()
    client.networkDidChange()
    #expect(try await reader.value == "here")
    // The pause that nobody needs any more ends too.
    clock.advance(by: .seconds(100))
  }

  @Test func `a revoked session is confirmed; granted it goes on with the new token`() async throws
  {
    let server = try await RealtimeTestServer()
    let tokens = ScriptedTokens("old", afterRefusals: ["new"])
    let client = try client(server, tokens: tokens)
    server.post("a", to: "g")
    let reader = Task {
      var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
      return [try await events.next()?.body, try await events.next()?.body]
    }
    await server.waitForSubscriptions(1)
    server.accept(tokens: ["new"])
    server.revokeSubscriptions("test")
    await server.waitForSubscriptions(2)
    server.post("b", to: "g")
    #expect(try await reader.value == ["a", "b"])
    #expect(server.authorizations == ["Bearer old", "Bearer new"])
    #expect(tokens.questions == [.token, .refused("old"), .token])
    #expect(server.subscriptions == [0, 1])
  }

  @Test func `refused by the provider, its own error ends the subscription`() async throws {
    let server = try await RealtimeTestServer()
    let tokens = ScriptedTokens("old")
    let client = try client(server, tokens: tokens)
    server.post("a", to: "g")
    var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
    _ = try await events.next()
    tokens.fail(with: SignedOut())
    server.revokeSubscriptions("test")
    await #expect(throws: SignedOut.self) { try await events.next() }
    #expect(try await events.next() == nil)
  }

  @Test(arguments: [
    GRPCStatus.Code.permissionDenied, .notFound, .invalidArgument, .unimplemented,
  ])
  func `a final status ends the subscription with it`(code: GRPCStatus.Code) async throws {
    let server = try await RealtimeTestServer()
    server.refuseSubscriptions(GRPCStatus(code, "no"))
    var events = try client(server).subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
    let error = await #expect(throws: GRPCError.self) { try await events.next() }
    #expect(error?.status == GRPCStatus(code, "no"))
  }

  @Test func `a server that ends streams at once is asked again with pauses`() async throws {
    let server = try await RealtimeTestServer()
    let clock = VirtualGRPCClock()
    let client = try client(server, clock: clock)
    server.refuseSubscriptions(GRPCStatus(.resourceExhausted))
    let reader = Task {
      var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
      return try await events.next()?.body
    }
    let first = await clock.nextSleep()
    clock.advance(by: first)
    await server.waitForSubscriptions(2)
    let second = await clock.nextSleep()
    #expect(second > first)
    server.refuseSubscriptions(nil)
    server.post("x", to: "g")
    clock.advance(by: second)
    #expect(try await reader.value == "x")
  }

  @Test func `a gap is told`() async throws {
    let server = try await RealtimeTestServer()
    server.post("a", to: "g", sequence: 1)
    server.post("d", to: "g", sequence: 4)
    var events = try client(server).subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
    #expect(try await events.next()?.body == "a")
    #expect(try await events.next() == .gap(after: 1, before: 4))
    #expect(try await events.next()?.body == "d")
  }

  @Test func `a cancelled reader gets nil`() async throws {
    let server = try await RealtimeTestServer()
    let client = try client(server)
    let reader = Task {
      var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
      return try await events.next()
    }
    await server.waitForSubscriptions(1)
    reader.cancel()
    #expect(try await reader.value == nil)
  }

  @Test func `shutting down ends everything, and the last state says why`() async throws {
    let server = try await RealtimeTestServer()
    let client = try client(server)
    let reader = Task {
      var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
      return try await events.next()
    }
    await server.waitForSubscriptions(1)
    client.shutDown(.sessionEnded)
    await #expect(throws: GRPCError.self) { try await reader.value }
    var last: RealtimeState?
    for await state in client.states() { last = state }
    #expect(last == .shutDown(.sessionEnded))
  }
}

extension RealtimeEvent {
  fileprivate var body: String? {
    if case .message(let message) = self { message.body } else { nil }
  }
}

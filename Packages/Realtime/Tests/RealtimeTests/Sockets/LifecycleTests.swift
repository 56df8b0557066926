import GRPC
import Realtime
import RealtimeTesting
import Testing

/// A connection through an app's day: idleness, dead networks, sleep.
@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
  // Pings often. How long it waits for an answer is what a test waits for where the network is
  // dead; where it is not, it is long enough for a machine that is busy.
  private func configuration(
    answerWithin timeout: Duration = .seconds(2)
  ) -> GRPCChannelConfiguration {
    var configuration = GRPCChannelConfiguration()
    configuration.keepaliveInterval = .milliseconds(300)
    configuration.keepaliveTimeout = timeout
    configuration.resumeTimeout = timeout
    return configuration
  }

  private func channel(
    _ port: Int,
    _ configuration: GRPCChannelConfiguration,
    clock: any GRPCClock = SystemGRPCClock()
  ) throws -> GRPCChannel {
    GRPCChannel(
      to: try GRPCEndpoint("http://127.0.0.1:\(port)"),
      configuration: configuration,
      clock: clock
    )
  }

  @Test func `a connection that nobody uses is closed, and made anew when it is needed`()
    async throws
  {
    let echo = try await EchoServer()
    let proxy = try await FreezableProxy(to: echo.server.port)
    var configuration = configuration(answerWithin: .seconds(60))
    configuration.idleTimeout = .milliseconds(100)
    let channel = try channel(proxy.port, configuration)
    _ = try await channel.unary("/t/Echo", message: [1])
    for await state in channel.states() where state == .idle { break }
    #expect(try await channel.unary("/t/Echo", message: [2]).message == [2])
    // A call that gets no processor for so long finds the new one closed again, and makes a third.
    #expect(proxy.connections >= 2)
  }

  @Test func `a connection with a call open is not idle`() async throws {
    let echo = try await EchoServer()
    var configuration = configuration(answerWithin: .seconds(60))
    configuration.idleTimeout = .milliseconds(50)
    let channel = try channel(echo.server.port, configuration)
    let relay = try await channel.streaming("/t/Relay")
    let start = ContinuousClock.now
    // Many times as long as idleness, in which the server answers pings only.
    try await Task.sleep(until: start + .milliseconds(900), clock: .continuous)
    try await relay.send([1])
    #expect(try await relay.next() == [1])
  }

  @Test func `a network that died in silence is found out within the keepalive time`()
    async throws
  {
    let echo = try await EchoServer()
    let proxy = try await FreezableProxy(to: echo.server.port)
    let channel = try channel(proxy.port, configuration())
    _ = try await channel.unary("/t/Echo", message: [1])
    let call = try await channel.serverStreaming("/t/Hang", message: [])
    await echo.hasBegun.wait()
    proxy.freeze()
    let start = ContinuousClock.now
    let error = await #expect(throws: GRPCError.self) { try await call.next() }
    #expect(error?.status.code == .unavailable)
    #expect(error?.status.message.contains("does not answer") == true)
    // Without pings it would be found out after many minutes.
    #expect(.now - start < .seconds(60))
    #expect(try await channel.unary("/t/Echo", message: [1]).message == [1])
  }

  @Test func `after a sleep a living connection is asked and used`() async throws {
    let echo = try await EchoServer()
    let proxy = try await FreezableProxy(to: echo.server.port)
    let channel = try channel(proxy.port, configuration(answerWithin: .seconds(60)))
    _ = try await channel.unary("/t/Echo", message: [1])
    channel.willSuspend()
    channel.didResume()
    #expect(try await channel.unary("/t/Echo", message: [2]).message == [2])
    #expect(proxy.connections == 1)
  }

  @Test func `after a sleep a dead connection is replaced before the first call is sent`()
    async throws
  {
    let calls = Recorder()
    let echo = try await EchoServer(handlers: [
      "/t/Count": .unary { message, _ in
        calls.add("\(message)")
        return message
      }
    ])
    let proxy = try await FreezableProxy(to: echo.server.port)
    let channel = try channel(proxy.port, configuration())
    _ = try await channel.unary("/t/Count", message: [1])
    channel.willSuspend()
    proxy.freeze()
    channel.didResume()
    #expect(try await channel.unary("/t/Count", message: [2]).message == [2])
    #expect(proxy.connections == 2)
    // Nothing was put on the dead connection, where it might have been served after all.
    proxy.thaw()
    #expect(try await channel.unary("/t/Count", message: [3]).message == [3])
    #expect(calls.all == ["[1]", "[2]", "[3]"])
  }

  @Test func `a device that slept is noticed without the app's help`() async throws {
    let echo = try await EchoServer()
    let proxy = try await FreezableProxy(to: echo.server.port)
    let clock = VirtualGRPCClock()
    let channel = try channel(proxy.port, configuration(answerWithin: .seconds(3)), clock: clock)
    _ = try await channel.unary("/t/Echo", message: [1])
    // Awake for an hour and asleep for a moment say nothing against a connection.
    clock.advance(by: .seconds(3600))
    clock.sleep(for: .milliseconds(900))
    _ = try await channel.unary("/t/Echo", message: [2])
    #expect(proxy.connections == 1)
    clock.sleep(for: .seconds(60))
    proxy.freeze()
    #expect(try await channel.unary("/t/Echo", message: [3]).message == [3])
    #expect(proxy.connections == 2)
  }

  @Test func `the system's clock has not slept while this test ran`() async throws {
    let clock = SystemGRPCClock()
    let before = clock.timeAsleep
    let start = ContinuousClock.now
    while .now - start < .milliseconds(200) { await Task.yield() }
    // Two clocks are read one after the other, with any pause between: the closest pair counts.
    let closest = (0..<1000).map { _ in
      let difference = clock.timeAsleep - before
      return max(difference, .zero - difference)
    }.min()
    #expect(try #require(closest) < .milliseconds(100))
  }

  @Test func `a suspended app sends no pings, and its sleep kills no call`() async throws {
    let echo = try await EchoServer()
    let proxy = try await FreezableProxy(to: echo.server.port)
    var configuration = configuration(answerWithin: .milliseconds(700))
    configuration.resumeTimeout = .seconds(60)
    let channel = try channel(proxy.port, configuration)
    let relay = try await channel.streaming("/t/Relay")
    try await relay.send([1])
    #expect(try await relay.next() == [1])
    channel.willSuspend()
    proxy.freeze()
    // Longer than the keepalive time, in which anyone else would have given the connection up.
    try await Task.sleep(for: .milliseconds(1300))
    proxy.thaw()
    channel.didResume()
    try await relay.send([2])
    #expect(try await relay.next() == [2])
    #expect(proxy.connections == 1)
  }

  @Test func `after a sleep a subscription goes on over a new connection, without a gap`()
    async throws
  {
    let server = try await RealtimeTestServer()
    let proxy = try await FreezableProxy(to: server.port)
    let client = RealtimeClient(
      to: try GRPCEndpoint("http://127.0.0.1:\(proxy.port)"),
      configuration: configuration()
    )
    var events = client.subscribe(groupID: "g", afterSequence: 0).makeAsyncIterator()
    server.post("a", to: "g")
    _ = try await events.next()
    client.willSuspend()
    proxy.freeze()
    server.post("b", to: "g")
    client.didResume()
    guard case .message(let message) = try await events.next() else {
      Issue.record("no message")
      return
    }
    #expect(message.body == "b")
    #expect(server.subscriptions == [0, 1])
  }

  @Test(arguments: [true, false])
  func `a call on a connection that takes no new ones ends with the channel, or the network`(
    isShutDown: Bool
  ) async throws {
    let isDraining = Gate()
    let server = try RawServer { connection in
      guard connection.begin() != nil else { return }
      connection.send(RawFrame.goAway(last: 1))
      // The answer to the ping says that the goodbye was heard.
      connection.send(RawFrame.ping())
      while let frame = connection.nextFrame() {
        if frame.type == 6 { isDraining.open() }
      }
    }
    defer { server.stop() }
    let channel = try channel(server.port, .init())
    let call = try await channel.serverStreaming("/a.B/C", message: [])
    await isDraining.wait()
    if isShutDown { channel.shutDown() } else { channel.networkDidChange() }
    let error = await #expect(throws: GRPCError.self) { try await call.next() }
    #expect(error?.status.code == .unavailable)
  }

  @Test func `too_many_pings doubles the interval for the connections that follow`() async throws {
    let pings = Recorder()
    let server = try RawServer { connection in
      let start = ContinuousClock.now
      guard connection.begin() != nil else { return }
      while let frame = connection.nextFrame() {
        guard frame.type == 6, frame.flags == 0 else { continue }
        pings.add(.now - start >= .milliseconds(590) ? "late" : "early")
        connection.send(RawFrame.goAway(last: 1, code: 11, "too_many_pings"))
        return
      }
    }
    defer { server.stop() }
    var configuration = configuration()
    configuration.keepaliveTimeout = .seconds(5)
    let channel = try channel(server.port, configuration)
    for _ in 0..<2 {
      await #expect(throws: GRPCError.self) {
        var options = GRPCCallOptions()
        options.waitsForReady = true
        return try await channel.unary("/a.B/C", message: [], options: options)
      }
    }
    // The first may be late for other reasons; the second may not be early for any.
    #expect(pings.all.count == 2)
    #expect(pings.all.last == "late")
  }
}

import HTTP2
import Testing

/// What a peer may do in large numbers, and what not.
@Suite struct HTTP2LimitTests {
  private let request = [
    HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "http"), HTTP2Header(":path", "/a"),
    HTTP2Header(":authority", "h"),
  ]

  /// A client whose first stream has begun to be answered.
  private func answeredPair(_ configuration: HTTP2Configuration = .init()) throws -> SessionPair {
    let pair = try SessionPair(client: configuration)
    let stream = try pair.client.submitRequest(request)
    pair.client.end(stream: stream)
    try pair.exchange()
    try pair.server.submitResponse([HTTP2Header(":status", "200")], stream: stream)
    try pair.exchange()
    return pair
  }

  static let floods: [(name: String, frame: [UInt8])] = [
    ("PING", RawFrame.ping()), ("SETTINGS", RawFrame.settings()),
    ("RST_STREAM", RawFrame.reset(8)), ("empty DATA", RawFrame.data([])),
    ("padding", RawFrame.paddedData([], padding: 9)), ("GOAWAY", RawFrame.goAway(last: 1)),
    ("PRIORITY", RawFrame.frame(2, 0, 1, [0, 0, 0, 3, 9])),
  ]

  @Test(arguments: floods)
  func `a flood ends the connection, an ordinary pace does not`(
    flood: (name: String, frame: [UInt8])
  ) throws {
    let flooded = try answeredPair()
    let start = ContinuousClock.now
    let error = #expect(throws: HTTP2Error.self) {
      for _ in 0..<2000 { try flooded.feedClient(flood.frame, at: start) }
    }
    #expect(error?.kind == .flood, "\(flood.name): \(error?.message ?? "")")
    let calm = try answeredPair()
    for second in 0..<3000 {
      try calm.feedClient(flood.frame, at: start + .seconds(second))
      _ = try calm.clientOutput()
    }
  }

  @Test func `pings that come with data are no flood, as servers measure the way with them`() throws
  {
    let pair = try answeredPair()
    let start = ContinuousClock.now
    for _ in 0..<5000 {
      try pair.feedClient(RawFrame.data([1]) + RawFrame.ping(), at: start)
      _ = try pair.clientOutput()
    }
    #expect(pair.atClient.bytes == 5000)
  }

  @Test func `as many requests as a client makes may be reset`() throws {
    let pair = try answeredPair()
    let start = ContinuousClock.now
    for _ in 0..<3000 {
      let stream = try pair.client.submitRequest(request)
      _ = try pair.clientOutput()
      try pair.feedClient(RawFrame.reset(8, stream: UInt32(stream)), at: start)
    }
  }

  @Test func `a list of header fields in endless pieces ends the connection`() throws {
    var configuration = HTTP2Configuration()
    configuration.maximumContinuations = 3
    let pair = try SessionPair(client: configuration)
    let stream = try pair.client.submitRequest(request)
    pair.client.end(stream: stream)
    try pair.exchange()
    try pair.feedClient(RawFrame.frame(1, 0, 1, RawFrame.block([":status": "200"])))
    let error = #expect(throws: HTTP2Error.self) {
      for _ in 0..<4 { try pair.feedClient(RawFrame.frame(9, 0, 1)) }
    }
    #expect(error?.kind == .flood)
  }

  @Test func `header fields above the limit are told, and end their stream only`() throws {
    var configuration = HTTP2Configuration()
    configuration.maximumHeaderListSize = 1000
    let pair = try answeredPair(configuration)
    let second = try pair.client.submitRequest(request)
    pair.client.end(stream: second)
    try pair.exchange()
    let big = [
      HTTP2Header(":status", "200"), HTTP2Header("x", String(repeating: "y", count: 2000)),
    ]
    try pair.server.submitResponse(big, stream: second)
    try pair.exchange()
    #expect(pair.atClient.events.contains("refused headers \(second)"))
    #expect(pair.atClient.events.contains { $0.hasPrefix("closed \(second)") })
    #expect(!pair.atClient.events.contains { $0.hasPrefix("closed 1") })
  }

  @Test func `the window of streams that were closed unread comes back`() throws {
    var configuration = HTTP2Configuration()
    configuration.streamWindow = 1 << 20
    configuration.connectionWindow = 1 << 20
    let pair = try SessionPair(client: configuration)
    for _ in 0..<40 {
      let stream = try pair.client.submitRequest(request)
      pair.client.end(stream: stream)
      try pair.exchange()
      try pair.server.submitResponse([HTTP2Header(":status", "200")], stream: stream)
      pair.server.send([UInt8](repeating: 1, count: 200_000), stream: stream)
      let before = pair.atClient.bytes
      try pair.exchange()
      #expect(pair.atClient.bytes - before == 200_000)
      pair.client.reset(stream: stream, code: .cancel)
      // What was told to the handler is the handler's to give back, once the stream is gone.
      pair.client.consumeConnection(200_000)
      try pair.exchange()
    }
  }

  @Test func `a request is unsent until the peer allows its stream`() throws {
    var configuration = HTTP2Configuration()
    configuration.maximumConcurrentStreams = 0
    let pair = try SessionPair(server: configuration)
    try pair.exchange()
    let stream = try pair.client.submitRequest(request)
    pair.client.end(stream: stream)
    try pair.exchange()
    #expect(!pair.client.wasSent(stream))
    #expect(!pair.atServer.events.contains("request \(stream)"))
    try pair.feedClient(RawFrame.settings([(3, 1)]))
    #expect(try !pair.clientOutput().isEmpty)
    #expect(pair.client.wasSent(stream))
  }

  @Test func `a ping comes back with its payload`() throws {
    let pair = try SessionPair()
    pair.client.ping(0x0102_0304_0506_0708)
    try pair.exchange()
    #expect(pair.atClient.events.contains("pong \(0x0102_0304_0506_0708)"))
  }

  @Test func `a goodbye in two steps lets what was on its way be served`() throws {
    let pair = try SessionPair()
    let first = try pair.client.submitRequest(request)
    try pair.exchange()
    pair.server.announceGoAway()
    // On its way while the announcement is.
    let second = try pair.client.submitRequest(request)
    let onItsWay = try pair.clientOutput()
    try pair.exchange(clientFirst: false)
    #expect(pair.atClient.events.contains("goaway \(Int32.max): NO_ERROR"))
    try pair.feedServer(onItsWay)
    #expect(pair.atServer.events.contains("request \(second)"))
    pair.server.goAway()
    try pair.exchange(clientFirst: false)
    #expect(pair.atClient.events.contains("goaway \(second): NO_ERROR"))
    #expect(!pair.atClient.events.contains { $0.hasPrefix("closed") })
    for stream in [first, second] {
      try pair.server.submitResponseOnly([HTTP2Header(":status", "200")], stream: stream)
    }
    try pair.exchange()
    #expect(pair.atClient.events.contains("response \(second)"))
  }
}

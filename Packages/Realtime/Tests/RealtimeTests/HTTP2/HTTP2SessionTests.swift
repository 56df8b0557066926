import HTTP2
import Testing

@Suite struct HTTP2SessionTests {
  private let request = [
    HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "http"), HTTP2Header(":path", "/a"),
    HTTP2Header(":authority", "h"),
  ]

  @Test func `a request and its answer go through, trailers and all`() throws {
    let pair = try SessionPair()
    let stream = try pair.client.submitRequest(request)
    pair.client.send([1, 2, 3], stream: stream)
    pair.client.end(stream: stream)
    try pair.exchange()
    #expect(pair.atServer.events == ["settings", "request 1", "data 1: 3", "ended 1"])
    try pair.server.submitResponse([HTTP2Header(":status", "200")], stream: stream)
    pair.server.send([4], stream: stream)
    pair.server.end(stream: stream, trailers: [HTTP2Header("t", "1")])
    try pair.exchange()
    #expect(
      pair.atClient.events
        == ["settings", "response 1", "data 1: 1", "trailers 1", "ended 1", "closed 1: NO_ERROR"]
    )
  }

  @Test func `what is not consumed stops the peer, what is consumed lets it go on`() throws {
    var configuration = HTTP2Configuration()
    configuration.streamWindow = 1000
    let pair = try SessionPair(server: configuration)
    let stream = try pair.client.submitRequest(request)
    // The client learns of the window before it sends.
    try pair.exchange()
    pair.client.send([UInt8](repeating: 1, count: 2500), stream: stream)
    try pair.exchange()
    #expect(pair.atServer.bytes == 1000)
    #expect(pair.client.pending(stream: stream) == 1500)
    pair.server.consume(1000, stream: stream)
    try pair.exchange()
    #expect(pair.atServer.bytes == 2000)
  }

  @Test func `requests beyond the peer's limit wait, and go when there is room`() throws {
    var configuration = HTTP2Configuration()
    configuration.maximumConcurrentStreams = 1
    let pair = try SessionPair(server: configuration)
    try pair.exchange()
    for _ in 0..<2 { pair.client.end(stream: try pair.client.submitRequest(request)) }
    try pair.exchange()
    #expect(pair.atServer.events.filter { $0.hasPrefix("request") } == ["request 1"])
    try pair.server.submitResponseOnly([HTTP2Header(":status", "200")], stream: 1)
    try pair.exchange()
    #expect(pair.atServer.events.filter { $0.hasPrefix("request") } == ["request 1", "request 3"])
  }

  @Test func `a reset reaches the peer with its code`() throws {
    let pair = try SessionPair()
    let stream = try pair.client.submitRequest(request)
    try pair.exchange()
    pair.client.reset(stream: stream, code: .cancel)
    try pair.exchange()
    #expect(pair.atServer.events.last == "closed 1: CANCEL remotely")
  }

  @Test func `after GOAWAY no stream is opened, and those above its last are refused`() throws {
    let pair = try SessionPair()
    let first = try pair.client.submitRequest(request)
    try pair.exchange()
    _ = try pair.client.submitRequest(request)
    pair.server.goAway()
    try pair.exchange(clientFirst: false)
    #expect(pair.atClient.events.contains("goaway 1: NO_ERROR"))
    #expect(pair.atClient.events.contains { $0.hasPrefix("closed 3: REFUSED_STREAM") })
    #expect(!pair.atClient.events.contains { $0.hasPrefix("closed \(first)") })
    _ = try pair.client.submitRequest(request)
    try pair.exchange()
    #expect(pair.atClient.events.contains { $0.hasPrefix("closed 5: REFUSED_STREAM") })
    #expect(!pair.atServer.events.contains { $0.hasPrefix("request 5") })
  }

  @Test func `a flood of pings ends the connection`() throws {
    let pair = try SessionPair()
    try pair.exchange()
    let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 8)
    let error = #expect(throws: HTTP2Error.self) {
      for _ in 0..<2000 { try pair.feedClient(ping) }
    }
    #expect(error?.kind == .flood)
  }

  @Test func `pings at an ordinary pace are answered for ever`() throws {
    let pair = try SessionPair()
    try pair.exchange()
    let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 8)
    for second in 0..<5000 {
      try pair.feedClient(ping, at: .now + .seconds(second))
      #expect(try pair.clientOutput().count == 17)
    }
  }

  @Test func `a header list above the limit ends its stream only`() throws {
    var configuration = HTTP2Configuration()
    configuration.maximumHeaderListSize = 1000
    let pair = try SessionPair(server: configuration)
    let big = request + [HTTP2Header("x", String(repeating: "y", count: 2000))]
    _ = try pair.client.submitRequest(big)
    let small = try pair.client.submitRequest(request)
    try pair.exchange()
    #expect(pair.atServer.events.contains("request \(small)"))
    #expect(pair.atClient.events.contains { $0.hasPrefix("closed 1") })
  }

  @Test func `bytes that are no HTTP2 end the session, at either side`() throws {
    let garbage = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    let pair = try SessionPair()
    try? pair.feedClient(garbage)
    _ = try? pair.clientOutput()
    #expect(pair.client.isFinished)
    #expect(throws: HTTP2Error.self) { try pair.feedServer(garbage) }
  }

  @Test func `no changed byte of a conversation traps`() throws {
    let recorded = try SessionPair()
    let stream = try recorded.client.submitRequest(request)
    recorded.client.send([UInt8](repeating: 1, count: 100), stream: stream)
    recorded.client.end(stream: stream)
    let bytes = try recorded.clientOutput()
    var refused = 0
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= UInt8(truncatingIfNeeded: 1 << (index % 8))
      let pair = try SessionPair()
      do {
        try pair.feedServer(changed)
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0)
  }
}

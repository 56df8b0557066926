import AuthNetworking
import CZlib
import Testing

@Suite(.eachTransport, .timeLimit(.minutes(5))) struct AnswerTests {
  static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard czlib_deflate_init2(&stream, 9, 15 + 16, 9) == Z_OK else { return [] }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        deflate(&stream, Z_FINISH)
        return Int(stream.total_out)
      }
    }
    return Array(output.prefix(count))
  }

  @Test func `an answer of a megabyte comes whole`() async throws {
    let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try await withServer(script: { try $0.respondToAll(body: body) }) { server in
      let response = try await server.fetch()
      #expect(response.body == body)
    }
  }

  @Test func `a compressed answer is unpacked`() async throws {
    let body = Array(String(repeating: "text ", count: 10_000).utf8)
    let packed = AnswerTests.gzip(body)
    let fields = ["Content-Encoding: gzip"]
    try await withServer(script: { try $0.respondToAll(200, fields, body: packed) }) { server in
      let response = try await server.fetch()
      #expect(response.body == body)
    }
  }

  @Test func `a compressed answer that is broken is a network error`() async throws {
    let packed = AnswerTests.gzip(Array("text".utf8)).map { $0 ^ 0x55 }
    let fields = ["Content-Encoding: gzip"]
    try await withServer(script: { try $0.respondToAll(200, fields, body: packed) }) { server in
      let code = try await server.failure()
      #expect(code == .network)
    }
  }

  @Test(arguments: [(999, TransportError.Code.responseTooLarge), (1000, nil), (1001, nil)])
  func `the limit is exact, whether the length is announced or not`(
    limit: Int,
    code: TransportError.Code?
  ) async throws {
    let body = [UInt8](repeating: 65, count: 1000)
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        if request.line.contains("/announced") {
          try connection.respond(body: body)
        } else {
          try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n")
          try connection.send(body + Array("\r\n0\r\n\r\n".utf8))
        }
      }
    }
    try await withServer(script: script) { server in
      let transport = try TransportUnderTest.current()
      for path in ["/announced", "/chunked"] {
        do {
          let response = try await server.fetch(.get, path, transport: transport) {
            $0.maximumResponseBytes = limit
          }
          #expect(response.body == body)
          #expect(code == nil)
        } catch let error as TransportError { #expect(error.code == code) }
      }
    }
  }

  @Test func `a small answer that unpacks to a huge one is stopped at the limit`() async throws {
    let packed = AnswerTests.gzip([UInt8](repeating: 0, count: 4 << 20))
    #expect(packed.count < 10_000)
    let fields = ["Content-Encoding: gzip"]
    try await withServer(script: { try $0.respondToAll(200, fields, body: packed) }) { server in
      let code = try await server.failure { $0.maximumResponseBytes = 10_000 }
      #expect(code == .responseTooLarge)
    }
  }

  @Test func `a limit of nothing takes an empty answer only`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        try connection.respond(body: request.line.contains("/full") ? [1] : [])
      }
    }
    try await withServer(script: script) { server in
      let empty = try await server.fetch { $0.maximumResponseBytes = 0 }
      #expect(empty.body.isEmpty)
      let error = await #expect(throws: TransportError.self) {
        try await server.fetch(.get, "/full") { $0.maximumResponseBytes = 0 }
      }
      #expect(error?.code == .responseTooLarge)
    }
  }

  @Test func `HEAD tells of a body of any length`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n")
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(.head) { $0.maximumResponseBytes = 10 }
      #expect(response.headers["Content-Length"] == "999999999")
    }
  }

  @Test(arguments: [50_000, 200_000, 300_000])
  func `a head line of any length is taken, or is an answer that is too large`(
    length: Int
  ) async throws {
    let location = "/" + String(repeating: "a", count: length)
    try await withServer(script: { try $0.respondToAll(302, ["Location: " + location]) }) {
      server in
      let transport = try TransportUnderTest.current()
      if length < 100 << 10 {
        let response = try await server.fetch(transport: transport)
        #expect(response.headers["Location"] == location)
      } else {
        let code = try await server.failure(transport: transport)
        #expect(code == .responseTooLarge)
      }
    }
  }

  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhalf",
      "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "HTTP/9.9 200 OK\r\n\r\n",
      "<html>no HTTP at all</html>",
      "\u{0}\u{0}\u{0}",
      "",
    ]
  )
  func `half an answer, or none, is an error and never an answer`(text: String) async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send(text)
    }
    try await withServer(script: script) { server in
      let code = try await server.failure()
      #expect([.network, .responseTooLarge].contains(code))
    }
  }

  @Test func `a connection reset in mid-answer is a network error`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      connection.reset()
    }
    try await withServer(script: script) { server in
      let code = try await server.failure(.post) { $0.body = [1] }
      #expect(code == .network)
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nX-A: ", "HTTP/1.1 200 OK\r\n\r\n"])
  func `the timeout ends an answer that drips`(beginning: String) async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      try connection.send(beginning)
      while !connection.isClosed(within: 20) {
        if !beginning.isEmpty { try connection.send("a") }
      }
    }
    try await withServer(script: script) { server in
      let code = try await server.failure { $0.timeout = .milliseconds(200) }
      #expect(code == .timeout)
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(1)])
  func `no time is a timeout, not no limit`(timeout: Duration) async throws {
    try await withServer(script: { $0.waitForClose() }) { server in
      let code = try await server.failure { $0.timeout = timeout }
      #expect(code == .timeout)
    }
  }

  @Test func `a timeout beyond all bounds is a long one`() async throws {
    try await withServer(script: { try $0.respondToAll() }) { server in
      let response = try await server.fetch { $0.timeout = .seconds(Int64.max) }
      #expect(response.status == 200)
    }
  }

  @Test func `heads without end are stopped`() async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.request()
      while true { try connection.send("HTTP/1.1 103 Early Hints\r\nLink: </abcdefgh>\r\n\r\n") }
    }
    try await withServer(script: script) { server in
      let code = try await server.failure()
      #expect(code == .responseTooLarge)
    }
  }
}

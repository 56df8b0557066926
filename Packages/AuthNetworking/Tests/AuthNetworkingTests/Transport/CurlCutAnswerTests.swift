import AuthNetworking
import Testing

/// Answers that break off where libcurl sees nothing but their end.
@Suite(.timeLimit(.minutes(5))) struct CurlCutAnswerTests {
  /// How the end of a body is marked, if at all.
  enum Framing: String, CaseIterable {
    case length, chunks, close

    func wrap(_ body: [UInt8]) -> [UInt8] {
      let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
      return switch self {
      case .length: Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
      case .chunks:
        Array(
          "\(head)Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n".utf8
        ) + body + Array("\r\n0\r\n\r\n".utf8)
      case .close: Array("\(head)Connection: close\r\n\r\n".utf8) + body
      }
    }
  }

  private static let text = Array((0..<5000).map { "{\"row\":\($0 &* 7919)}" }.joined().utf8)
  private static let packed = AnswerTests.gzip(text)

  /// Serves one answer a connection, to a request into memory and to one into a file.
  private func fetchTwice(
    _ answer: [UInt8],
    _ check: (_ result: Result<[UInt8], TransportError>) -> Void
  ) async throws {
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      guard connection.request() != nil else { return }
      try connection.send(answer)
    }
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      try await withServer(script: script) { server in
        let transport = try CurlTransport(.unhurried())
        do {
          check(.success(try await server.fetch(transport: transport).body))
        } catch let error as TransportError { check(.failure(error)) }
        do {
          _ = try await server.fetch(transport: transport) {
            $0.destination = DownloadTarget(folder.file("file"))
          }
          check(.success(folder.read("file") ?? []))
        } catch let error as TransportError {
          check(.failure(error))
          // What was there stays.
          #expect(folder.read("file") == [9])
        }
        #expect(folder.names == ["file"])
      }
    }
  }

  @Test(arguments: Framing.allCases, [1, 9, 10, 11, 5000, packed.count - 8, packed.count - 1])
  func `gzip that ends before its trailer does is a network error`(
    framing: Framing,
    count: Int
  ) async throws {
    let part = Array(CurlCutAnswerTests.packed.prefix(count))
    try await fetchTwice(framing.wrap(part)) { result in
      #expect(throws: TransportError.self) { try result.get() }
      if case .failure(let error) = result {
        #expect(error.code == .network)
        #expect(error.message.contains("broke off"))
      }
    }
  }

  @Test(arguments: Framing.allCases)
  func `gzip of one member or of several is unpacked whole`(framing: Framing) async throws {
    let (text, packed) = (CurlCutAnswerTests.text, CurlCutAnswerTests.packed)
    for (body, expected) in [(packed, text), (packed + packed, text + text), ([], [])] {
      try await fetchTwice(framing.wrap(body)) { #expect($0 == .success(expected)) }
    }
  }

  @Test(arguments: ["trailing garbage", "\u{0}", "\u{1f}"])
  func `what follows gzip and is none is an error that says so`(rest: String) async throws {
    let body = CurlCutAnswerTests.packed + Array(rest.utf8)
    try await fetchTwice(Framing.length.wrap(body)) { result in
      guard case .failure(let error) = result else {
        Issue.record("taken")
        return
      }
      #expect(error.code == .network)
      #expect(error.message.contains("gzip") || error.message.contains("broke off"))
    }
  }

  @Test func `a coding that nobody asked for is an error that names it`() async throws {
    let fields = ["Content-Encoding: br, Gzip"]
    try await withServer(script: { try $0.respondToAll(200, fields, body: [1]) }) { server in
      let error = await #expect(throws: TransportError.self) { try await server.fetch() }
      #expect(error?.code == .network)
      #expect(error?.message.contains("br, gzip") == true)
    }
  }

  // MARK: HTTP/2

  /// Breaks answers over HTTP/2 off, with NO_ERROR, and gives them whole over HTTP/1.1.
  private func withBreakingServer(
    _ whole: [UInt8],
    sending part: [UInt8],
    _ fields: [(name: String, value: String)],
    _ body: (TestServer, CurlTransport) async throws -> Void
  ) async throws {
    let authority = try TestIdentity.authority()
    let identity = try TestIdentity.server(authority)
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      if connection.isHTTP2 {
        guard var session = try TestHTTP2(connection) else { return }
        while case .request(let stream, _) = try session.next() {
          try session.begin(stream, fields)
          try session.send(part, on: stream, isLast: false)
          try session.reset(stream, code: 0)
        }
      } else if connection.request() != nil {
        let size = String(whole.count, radix: 16)
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n")
        try connection.send(whole + Array("\r\n0\r\n\r\n".utf8))
        connection.waitForClose()
      }
    }
    try await withCAFile(authority) { file in
      let transport = try CurlTransport(.unhurried(caFile: file))
      try await withServer(identity: identity, offersHTTP2: true, script: script) { server in
        try await body(server, transport)
      }
    }
  }

  @Test(arguments: [HTTPMethod.get, .post])
  func `a download whose end HTTP/2 does not tell comes over HTTP/1.1, which does`(
    method: HTTPMethod
  ) async throws {
    let whole = pattern(10_900)
    let part = Array(whole.prefix(4000))
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      try await withBreakingServer(whole, sending: part, []) { server, transport in
        let response = try await server.fetch(
          method,
          host: "localhost",
          scheme: "https",
          transport: transport
        ) { $0.destination = DownloadTarget(folder.file("file")) }
        #expect(response.savedBytes == 10_900)
      }
      #expect(folder.read("file") == whole)
      #expect(folder.names == ["file"])
    }
  }

  @Test func `a download that tells its length stays with HTTP/2, and is cut there`() async throws {
    try await withTemporaryFolder { folder in
      try folder.write([9], "file")
      let fields = [("content-length", "100")]
      try await withBreakingServer([], sending: [1, 2, 3], fields) { server, transport in
        let code = try await server.failure(
          scheme: "https",
          host: "localhost",
          transport: transport
        ) { $0.destination = DownloadTarget(folder.file("file")) }
        #expect(code == .network)
        #expect(server.connections == 1)
      }
      #expect(folder.read("file") == [9])
    }
  }

  @Test(arguments: [(#"{"rows":[1,2"#, TransportError.Code.network), (#"{"rows":[1]}"#, nil)])
  func `JSON over HTTP/2 that breaks off is a network error`(
    body: String,
    code: TransportError.Code?
  ) async throws {
    let fields = [("content-type", "application/json; charset=utf-8")]
    try await withBreakingServer([], sending: Array(body.utf8), fields) { server, transport in
      let found = try await server.failure(
        scheme: "https",
        host: "localhost",
        transport: transport
      )
      #expect(found == code)
    }
  }
}

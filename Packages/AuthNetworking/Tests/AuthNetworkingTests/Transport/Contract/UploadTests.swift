import AuthNetworking
import Synchronization
import Testing

/// Bodies that are not in memory.
@Suite(.timeLimit(.minutes(5))) struct UploadTests {
  private static let respondToAll: @Sendable (TestConnection) throws -> Void = {
    try $0.respondToAll()
  }

  @Test(arguments: TransportUnderTest.all, [HTTPMethod.post, .put])
  func `a file is sent as it is, its length known`(
    transport: TransportUnderTest,
    method: HTTPMethod
  ) async throws {
    try await withTemporaryFolder { folder in
      let bytes = pattern(3 << 20)
      let path = try folder.write(bytes, "upload")
      try await withServer(script: UploadTests.respondToAll) { server in
        let response = try await server.fetch(method, transport: transport()) {
          $0.content = try? .file(path, contentType: "image/png")
        }
        #expect(response.status == 200)
        let request = try #require(server.requests.first)
        #expect(request.body == bytes)
        #expect(request["content-length"] == ["\(bytes.count)"])
        #expect(request["transfer-encoding"] == [])
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `an empty file is an empty body`(transport: TransportUnderTest) async throws {
    try await withTemporaryFolder { folder in
      let path = try folder.write([], "empty")
      try await withServer(script: UploadTests.respondToAll) { server in
        _ = try await server.fetch(.post, transport: transport()) {
          $0.content = try? .file(path)
        }
        #expect(server.requests.first?["content-length"] == ["0"])
      }
    }
  }

  @Test func `what is no readable file makes no body`() async throws {
    try await withTemporaryFolder { folder in
      for path in ["", "a\u{0}b", folder.file("missing"), folder.path, "/dev/null"] {
        let error = #expect(throws: TransportError.self) { try RequestBody.file(path) }
        #expect(error?.code == .body)
      }
    }
  }

  @Test(arguments: TransportUnderTest.all, ["longer", "shorter", "rewritten", "removed"])
  func `a file that changed since is a body error, and nothing of it is sent`(
    transport: TransportUnderTest,
    change: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = try folder.write([1, 2, 3], "upload")
      let content = try RequestBody.file(path)
      switch change {
      case "longer": try folder.write([1, 2, 3, 4], "upload")
      case "shorter": try folder.write([1, 2], "upload")
      case "rewritten": try folder.write([4, 5, 6], "upload")
      default: try folder.remove("upload")
      }
      try await withServer(script: UploadTests.respondToAll) { server in
        let code = try await server.failure(.post, transport: transport()) { $0.content = content }
        #expect(code == .body)
        #expect(server.requests.isEmpty)
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a file that is written to meanwhile never makes a whole request`(
    transport: TransportUnderTest
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = try folder.write([UInt8](repeating: 1, count: 8 << 20), "upload")
      let content = try RequestBody.file(path)
      let began = Latch()
      let changed = Latch()
      let script: @Sendable (TestConnection) throws -> Void = { connection in
        // The head and a part: the rest does not fit into the sockets' buffers.
        _ = connection.read(count: 1000)
        began.open()
        changed.waitBlocking()
        guard connection.request() != nil else { return }
        try connection.respond()
      }
      try await withServer(script: script) { server in
        let transport = try transport()
        let upload = Task {
          try await server.failure(.post, transport: transport) { $0.content = content }
        }
        await began.wait()
        try folder.write([UInt8](repeating: 2, count: 8 << 20), "upload")
        changed.open()
        #expect(try await upload.value == .body)
        #expect(server.requests.isEmpty)
      }
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a stream of unknown length comes whole, in its order`(
    transport: TransportUnderTest
  ) async throws {
    let pieces = Pieces(pieces: [[1], [], pattern(200_000), [2, 3]])
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      while let request = connection.request() {
        guard request["transfer-encoding"] == ["chunked"] else { return }
        try connection.respond(body: connection.readChunks())
      }
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(.post, transport: transport()) {
        $0.content = .stream { pieces }
      }
      #expect(response.body == pieces.pieces.flatMap { $0 })
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a stream of known length says so`(transport: TransportUnderTest) async throws {
    try await withServer(script: UploadTests.respondToAll) { server in
      _ = try await server.fetch(.put, transport: transport()) {
        $0.content = .oneShot(length: 5, Pieces(pieces: [[1, 2], [3], [4, 5]]))
      }
      let request = try #require(server.requests.first)
      #expect(request["content-length"] == ["5"])
      #expect(request.body == [1, 2, 3, 4, 5])
    }
  }

  @Test(
    arguments: TransportUnderTest.all,
    [Pieces(pieces: [[1, 2], [3, 4, 5, 6]]), Pieces(pieces: [[1, 2], [3]])]
  )
  func `a stream of another length than announced fails`(
    transport: TransportUnderTest,
    pieces: Pieces
  ) async throws {
    try await withServer(script: UploadTests.respondToAll) { server in
      let code = try await server.failure(.put, transport: transport()) {
        $0.content = .oneShot(length: 5, pieces)
      }
      #expect(code == .body)
      #expect(server.requests.isEmpty)
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a stream that fails is a body error`(transport: TransportUnderTest) async throws {
    let pieces = Pieces(pieces: [[1], [2]]) { if $0 == 1 { throw TestFailure("secret") } }
    try await withServer(script: { _ = $0.readChunksOfRequest() }) { server in
      var request = HTTPRequest(
        method: .post,
        url: try HTTPURL(parsing: "http://127.0.0.1:\(server.port)/")
      )
      request.content = .stream { pieces }
      let sent = request
      let error = await #expect(throws: TransportError.self) { try await transport().send(sent) }
      #expect(error?.code == .body)
      #expect(error?.message.contains("secret") == false)
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a one-shot stream is given once`(transport: TransportUnderTest) async throws {
    try await withServer(script: UploadTests.respondToAll) { server in
      let transport = try transport()
      let content = RequestBody.oneShot(length: 1, Pieces(pieces: [[1]]))
      let code = try await server.failure(.put, transport: transport) { $0.content = content }
      #expect(code == nil)
      let code2 = try await server.failure(.put, transport: transport) { $0.content = content }
      #expect(code2 == .body)
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a stream that waits holds up no other request`(
    transport: TransportUnderTest
  ) async throws {
    let release = Latch()
    let pieces = Pieces(pieces: [[1], [2], [3]]) { if $0 == 1 { await release.wait() } }
    try await withServer(script: UploadTests.respondToAll) { server in
      let transport = try transport()
      let slow = Task {
        try await server.fetch(.post, transport: transport) {
          $0.content = .oneShot(length: 3, pieces)
        }
      }
      let response = try await server.fetch(transport: transport)
      #expect(response.status == 200)
      release.open()
      #expect(try await slow.value.status == 200)
      #expect(server.requests.map(\.body).contains([1, 2, 3]))
    }
  }

  /// A stream that stops before one of its pieces for good: only its cancellation ends it.
  private final class StalledStream: Sendable {
    let began = Latch()
    let ended = Latch()
    private let never = Latch()

    func pieces(before stop: Int) -> Pieces {
      Pieces(pieces: [[1], [2]]) { [self] index in
        guard index == stop else { return }
        began.open()
        await never.wait()
        ended.open()
        throw CancellationError()
      }
    }
  }

  @Test(
    arguments: TransportUnderTest.all,
    [(400, 0), (400, 1), (401, 0), (401, 1), (503, 0), (503, 1)]
  )
  func `an answer that comes before the body is whole is the answer`(
    transport: TransportUnderTest,
    answer: (status: Int, piecesBefore: Int)
  ) async throws {
    let stream = StalledStream()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.readHead()
      // Else a client that is slow to begin with the body has no stream that could be ended.
      stream.began.waitBlocking()
      try connection.respond(answer.status, body: Array("no".utf8))
      // It is the client that has to see that nobody wants the rest.
      connection.waitForClose()
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(.post, transport: transport()) {
        $0.content = .stream { stream.pieces(before: answer.piecesBefore) }
      }
      #expect(response.status == answer.status)
      #expect(response.body == Array("no".utf8))
      await stream.ended.wait()
    }
  }

  @Test(arguments: TransportUnderTest.all, [400, 401, 503])
  func `an answer to the head alone is the answer, whether the stream has begun or not`(
    transport: TransportUnderTest,
    status: Int
  ) async throws {
    let stream = StalledStream()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.readHead()
      try connection.respond(status, body: Array("no".utf8))
      connection.waitForClose()
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(.post, transport: transport()) {
        $0.content = .stream { stream.pieces(before: 0) }
      }
      #expect(response.status == status)
      #expect(response.body == Array("no".utf8))
    }
  }

  @Test(
    arguments: TransportUnderTest.all,
    [
      ("", nil), ("HTTP/1.1 200 OK\r\nContent-", nil),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", nil),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200),
      ("HTTP/1.1 204 No Content\r\n\r\n", 204),
      ("HTTP/1.1 500 Text\r\nContent-Length: 2\r\n\r\n", nil),
    ] as [(String, Int?)]
  )
  func `a server that goes away under a body that waits is noticed`(
    transport: TransportUnderTest,
    last: (text: String, status: Int?)
  ) async throws {
    let stream = StalledStream()
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.readHead()
      // All that was sent is read: so the connection ends in order, and not with a reset.
      guard connection.read(count: 6) != nil else { return }
      stream.began.waitBlocking()
      try connection.send(last.text)
    }
    try await withServer(script: script) { server in
      var status: Int?
      do {
        status = try await server.fetch(.post, transport: transport()) {
          $0.content = .stream { stream.pieces(before: 1) }
        }.status
      } catch let error as TransportError { #expect(error.code == .network) }
      #expect(status == last.status)
      await stream.ended.wait()
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `cancelling an upload ends its stream`(transport: TransportUnderTest) async throws {
    let began = Latch()
    let never = Latch()
    let ended = Latch()
    let pieces = Pieces(pieces: [[1], [2]]) { index in
      guard index == 1 else { return }
      began.open()
      await never.wait()
      ended.open()
    }
    try await withServer(script: { $0.waitForClose() }) { server in
      let transport = try transport()
      let task = Task {
        try await server.failure(.post, transport: transport) { $0.content = .stream { pieces } }
      }
      await began.wait()
      task.cancel()
      #expect(try await task.value == .cancelled)
      await ended.wait()
    }
  }

  @Test(arguments: TransportUnderTest.all)
  func `a network that does not take it holds up the stream`(
    transport: TransportUnderTest
  ) async throws {
    let made = Mutex(0)
    let lead = Mutex(0)
    let count = 64
    let piece = [UInt8](repeating: 1, count: 1 << 20)
    let pieces = Pieces(pieces: Array(repeating: piece, count: count)) { index in
      made.withLock { $0 = index }
    }
    let script: @Sendable (TestConnection) throws -> Void = { connection in
      _ = connection.readHead()
      for taken in 0..<count {
        lead.withLock { $0 = max($0, made.withLock { $0 } - taken) }
        guard connection.skip(count: piece.count) else { return }
      }
      try connection.respond()
      connection.waitForClose()
    }
    try await withServer(script: script) { server in
      let response = try await server.fetch(.post, transport: transport()) {
        $0.content = .oneShot(length: Int64(count * piece.count), pieces)
      }
      #expect(response.status == 200)
    }
    // What the sockets' buffers hold, and two pieces.
    #expect(lead.withLock { $0 } < count / 2)
  }

  @Test(arguments: TransportUnderTest.all, [true, false])
  func `progress of an upload grows to the whole`(
    transport: TransportUnderTest,
    isFile: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
      let bytes = pattern(1 << 20)
      let path = try folder.write(bytes, "upload")
      let seen = Mutex<[TransferProgress]>([])
      try await withServer(script: { try $0.respondToAll(body: [1, 2]) }) { server in
        _ = try await server.fetch(.post, transport: transport()) {
          $0.content = isFile ? try? .file(path) : .bytes(bytes)
          $0.onProgress = { progress in seen.withLock { $0.append(progress) } }
        }
      }
      let progress = seen.withLock { $0 }
      let sent = progress.map(\.sentBytes)
      #expect(sent == sent.sorted())
      #expect(sent.count > 2)
      #expect(progress.allSatisfy { $0.bytesToSend == Int64(bytes.count) })
      #expect(
        progress.last
          == TransferProgress(
            sentBytes: Int64(bytes.count),
            bytesToSend: Int64(bytes.count),
            receivedBytes: 2,
            bytesToReceive: 2
          )
      )
    }
  }
}

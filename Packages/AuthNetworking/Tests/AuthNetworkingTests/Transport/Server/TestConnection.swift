#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One connection of a ``TestServer``, with blocking calls, for the script's own thread.
final class TestConnection {
  let index: Int
  private let descriptor: Int32
  private let stream: TestTLS.Stream?
  private let log: (TestRequest) -> Void
  private var buffer: [UInt8] = []
  private var isClosed = false

  /// Nil where the TLS handshake fails.
  init?(
    descriptor: Int32,
    index: Int,
    tls: TestTLS?,
    log: @escaping (TestRequest) -> Void
  ) {
    self.descriptor = descriptor
    self.index = index
    self.log = log
    if let tls {
      guard let stream = tls.accept(descriptor) else {
        _ = systemClose(descriptor)
        return nil
      }
      self.stream = stream
    } else {
      stream = nil
    }
  }

  /// Whether the client speaks HTTP/2.
  var isHTTP2: Bool { stream?.isHTTP2 ?? false }

  /// The next request with its body, or nil where the client has closed.
  func request() -> TestRequest? {
    guard let head = read(through: "\r\n\r\n") else { return nil }
    let lines = String(decoding: head.dropLast(4), as: UTF8.self).split(separator: "\r\n")
    var request = TestRequest(lines: lines.map(String.init), body: [], connection: index)
    let length = request["content-length"].first.flatMap { Int($0) } ?? 0
    guard let body = read(count: length) else { return nil }
    request.body = body
    log(request)
    return request
  }

  /// The head of the next request alone, or nil where the client has closed.
  func readHead() -> [UInt8]? { read(through: "\r\n\r\n") }

  /// A body in chunks, to its end or to where the client closes.
  func readChunks() -> [UInt8] {
    var body: [UInt8] = []
    while let line = read(through: "\r\n"),
      let count = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16),
      let chunk = read(count: count + 2), count > 0
    {
      body += chunk.dropLast(2)
    }
    return body
  }

  /// A request with a body in chunks.
  func readChunksOfRequest() -> [UInt8] { readHead() == nil ? [] : readChunks() }

  /// Answers with a status, fields and a body of known length.
  func respond(_ status: Int = 200, _ fields: [String] = [], body: [UInt8] = []) throws {
    let head = ["HTTP/1.1 \(status) Text"] + fields + ["Content-Length: \(body.count)", "", ""]
    try send(head.joined(separator: "\r\n"))
    if !body.isEmpty { try send(body) }
  }

  /// Answers every request in the same way until the client closes.
  func respondToAll(_ status: Int = 200, _ fields: [String] = [], body: [UInt8] = []) throws {
    while request() != nil { try respond(status, fields, body: body) }
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        stream?.write(bytes) ?? systemSend(descriptor, bytes)
      }
      guard count > 0 else { throw TestFailure("the client has gone") }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits until the client closes, reading whatever comes.
  func waitForClose() {
    while !receive().isEmpty {}
  }

  /// Whether the client closes within some milliseconds; reads nothing.
  func isClosed(within milliseconds: Int32) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard systemPoll(&poll, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }

  /// Exactly so many bytes, or nil where the client closes before.
  func read(count: Int) -> [UInt8]? {
    while buffer.count < count {
      let bytes = receive()
      guard !bytes.isEmpty else { return nil }
      buffer += bytes
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  /// Reads so many bytes and keeps none; false where the client closes before.
  func skip(count: Int) -> Bool {
    var rest = count - min(count, buffer.count)
    buffer.removeFirst(count - rest)
    while rest > 0 {
      let bytes = receive()
      guard !bytes.isEmpty else { return false }
      buffer = Array(bytes.dropFirst(rest))
      rest -= min(rest, bytes.count)
    }
    return true
  }

  private func read(through end: String) -> [UInt8]? {
    let end = Array(end.utf8)
    var searched = 0
    while true {
      for start in buffer.indices.dropFirst(searched) where buffer[start...].starts(with: end) {
        return read(count: start + end.count)
      }
      searched = max(0, buffer.count - end.count)
      let bytes = receive()
      guard !bytes.isEmpty else { return nil }
      buffer += bytes
    }
  }

  private func receive() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = bytes.withUnsafeMutableBytes { bytes in
      stream?.read(bytes) ?? recv(descriptor, bytes.baseAddress, bytes.count, 0)
    }
    return Array(bytes.prefix(max(count, 0)))
  }

  /// Ends the connection with a reset, as a crashed peer does.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
  }

  func close() {
    // Once: the number may be another socket's by the time of a second call.
    guard !isClosed else { return }
    isClosed = true
    stream?.close()
    _ = systemClose(descriptor)
  }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemPoll(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Int32 {
  poll(&descriptor, 1, milliseconds)
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  // The thread takes no SIGPIPE, so no flag is needed.
  send(descriptor, bytes.baseAddress, bytes.count, 0)
}

/// The server's side of HTTP/2 (RFC 9113), as much of it as a test needs: requests are counted,
/// not understood, and every answer is a 200 with two bytes.
struct TestHTTP2 {
  private let connection: TestConnection

  /// What came: a request that is complete, by its stream.
  enum Event: Equatable {
    case request(stream: UInt32, body: [UInt8])
    case closed
  }

  private var bodies: [UInt32: [UInt8]] = [:]

  /// Reads the preface and says hello.
  init?(_ connection: TestConnection) throws {
    self.connection = connection
    guard connection.read(count: 24) != nil else { return nil }
    try send(type: 4, stream: 0, [])
  }

  /// Waits for the next complete request, and answers settings and pings meanwhile.
  mutating func next() throws -> Event {
    while let head = connection.read(count: 9) {
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
      guard let payload = connection.read(count: length) else { return .closed }
      let endsStream = head[4] & 1 == 1
      switch head[3] {
      case 0: bodies[stream, default: []] += payload
      case 1: bodies[stream] = []
      case 4 where !endsStream: try send(type: 4, flags: 1, stream: 0, [])
      case 6 where !endsStream: try send(type: 6, flags: 1, stream: 0, payload)
      default: break
      }
      if head[3] <= 1, endsStream {
        return .request(stream: stream, body: bodies.removeValue(forKey: stream) ?? [])
      }
    }
    return .closed
  }

  /// Answers a request with 200 and `ok`.
  func respond(_ stream: UInt32) throws {
    // `:status: 200` is entry 8 of HPACK's static table.
    try send(type: 1, flags: 4, stream: stream, [0x88])
    try send(type: 0, flags: 1, stream: stream, Array("ok".utf8))
  }

  /// Begins an answer of 200 that does not say how long it is; the names of fields are in lower case.
  func begin(_ stream: UInt32, _ fields: [(name: String, value: String)] = []) throws {
    var block: [UInt8] = [0x88]
    // Literal fields that are not indexed, without Huffman's code.
    for (name, value) in fields {
      block += [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
    }
    try send(type: 1, flags: 4, stream: stream, block)
  }

  /// Sends a part of an answer's body.
  func send(_ bytes: [UInt8], on stream: UInt32, isLast: Bool) throws {
    try send(type: 0, flags: isLast ? 1 : 0, stream: stream, bytes)
  }

  /// Says that no stream after this one was or will be looked at.
  func goAway(after stream: UInt32) throws {
    try send(type: 7, stream: 0, bigEndian(stream) + bigEndian(0))
  }

  /// Ends one stream with an error code.
  func reset(_ stream: UInt32, code: UInt32) throws {
    try send(type: 3, stream: stream, bigEndian(code))
  }

  private func send(type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8]) throws {
    let length = bigEndian(UInt32(payload.count)).dropFirst()
    try connection.send(Array(length) + [type, flags] + bigEndian(stream) + payload)
  }

  private func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}

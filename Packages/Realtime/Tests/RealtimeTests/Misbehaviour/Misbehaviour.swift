import GRPC
import Testing

/// What a server does wrong, or strangely, and what a unary call to it ends with.
struct Misbehaviour: Sendable, CustomTestStringConvertible {
  let name: String
  /// What the call ends with.
  let code: GRPCStatus.Code
  /// What its message says.
  let says: String
  /// What a client gets that ends with OK.
  let message: [UInt8]
  /// How often the request comes to the server.
  let requests: Int
  let script: @Sendable (RawServer.Connection) -> Void

  var testDescription: String { name }
  /// Whether the server says nothing where it should.
  var isSilence: Bool { name.hasPrefix("silence") }

  /// One that speaks HTTP/2 and answers the request with these bytes.
  init(
    _ name: String,
    _ code: GRPCStatus.Code,
    _ says: String = "",
    message: [UInt8] = [1, 2, 3],
    requests: Int = 1,
    settings: [(id: UInt16, value: UInt32)] = [],
    closes: Bool = false,
    answer: [[UInt8]]
  ) {
    self.init(name, code, says, message: message, requests: requests) { connection in
      guard connection.begin(settings) != nil else { return }
      for bytes in answer { connection.send(bytes) }
      if closes { connection.end() }
      connection.drain()
    }
  }

  /// One that does what `script` says from the first byte on.
  init(
    _ name: String,
    _ code: GRPCStatus.Code,
    _ says: String = "",
    message: [UInt8] = [1, 2, 3],
    requests: Int = 1,
    script: @escaping @Sendable (RawServer.Connection) -> Void
  ) {
    self.name = name
    self.code = code
    self.says = says
    self.message = message
    self.requests = requests
    self.script = script
  }
}

extension RawServer.Connection {
  /// Reads the preface, says hello, and waits for a request.
  func begin(_ settings: [(id: UInt16, value: UInt32)] = []) -> UInt32? {
    guard read(24) != nil else { return nil }
    send(RawFrame.settings(settings) + RawFrame.settingsAnswer)
    return request()
  }
}

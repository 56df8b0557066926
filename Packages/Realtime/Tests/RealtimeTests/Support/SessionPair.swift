import HTTP2

/// A client's and a server's session, joined by memory.
final class SessionPair {
  let client: HTTP2Session
  let server: HTTP2Session
  let atClient = RecordingHandler()
  let atServer = RecordingHandler()

  init(
    client atClient: HTTP2Configuration = .init(),
    server atServer: HTTP2Configuration = .init()
  ) throws {
    client = try HTTP2Session(.client, configuration: atClient)
    server = try HTTP2Session(.server, configuration: atServer)
    client.handler = self.atClient
    server.handler = self.atServer
  }

  /// Carries bytes until neither side has any.
  func exchange(clientFirst: Bool = true) throws {
    var isClient = clientFirst
    var silent = 0
    while silent < 2 {
      let bytes = try isClient ? clientOutput() : output(of: server)
      silent = bytes.isEmpty ? silent + 1 : 0
      if !bytes.isEmpty { try isClient ? feedServer(bytes) : feedClient(bytes) }
      isClient.toggle()
    }
  }

  func clientOutput() throws -> [UInt8] { try output(of: client) }

  func feedClient(_ bytes: [UInt8], at now: ContinuousClock.Instant = .now) throws {
    try bytes.withUnsafeBytes { try client.receive($0, now: now) }
  }

  func feedServer(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try server.receive($0, now: .now) }
  }

  private func output(of session: HTTP2Session) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try session.takeOutput(into: &bytes, limit: 1 << 20)
    return bytes
  }
}

/// Writes down what a session tells.
final class RecordingHandler: HTTP2Handler {
  private(set) var events: [String] = []
  private(set) var bytes = 0

  func received(
    _ headers: [HTTP2Header],
    kind: HTTP2HeadersKind,
    endStream: Bool,
    stream: Int32
  ) {
    events.append("\(kind) \(stream)")
  }

  func received(_ data: UnsafeRawBufferPointer, stream: Int32) {
    bytes += data.count
    events.append("data \(stream): \(data.count)")
  }

  func ended(stream: Int32) { events.append("ended \(stream)") }

  func closed(stream: Int32, code: HTTP2ErrorCode, remotely: Bool) {
    events.append("closed \(stream): \(code)\(remotely ? " remotely" : "")")
  }

  func refusedHeaders(stream: Int32) { events.append("refused headers \(stream)") }

  func sent(_ count: Int, stream: Int32) {}

  func receivedGoAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) {
    events.append("goaway \(lastStream): \(code)")
  }

  func receivedSettings() { events.append("settings") }

  func receivedPingAnswer(_ payload: UInt64) { events.append("pong \(payload)") }
}

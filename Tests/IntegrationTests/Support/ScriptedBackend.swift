import Foundation
import SessionModelsTesting
import Synchronization

/// An HTTP/1.1 server on a real loopback socket that answers by a script, well-behaved or not.
///
/// Each connection has a thread of its own, so a script may block as long as it likes.
final class ScriptedBackend: Sendable {
  typealias Script = @Sendable (ReceivedRequest) -> Reply

  /// Kept for as long as this is there: whoever asks after the end asks nobody else.
  private let reserved: ReservedPort
  private let listener: Int32
  private let script: Script
  private let log = Mutex<[ReceivedRequest]>([])

  var port: Int { reserved.number }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Everything received so far, in order of arrival.
  var requests: [ReceivedRequest] { log.withLock { $0 } }

  func requests(to path: String) -> [ReceivedRequest] { requests.filter { $0.path == path } }

  init(_ script: @escaping Script) throws {
    self.script = script
    reserved = try ReservedPort()
    listener = try reserved.listen()
    Thread.detachNewThread { [self] in acceptForEver() }
  }

  /// Stops listening; whoever connects afterwards is refused.
  func stop() {
    #if canImport(Darwin)
    close(listener)
    #else
    // Closed by the thread that accepts, and only by it: were it just on its way to the next
    // connection, it would else take those of whoever is given the number next.
    shutdown(listener, Int32(SHUT_RDWR))
    #endif
  }

  private func acceptForEver() {
    #if !canImport(Darwin)
    defer { close(listener) }
    #endif
    while true {
      let connection = accept(listener, nil, nil)
      // A connection that has gone again, or a signal, is no end.
      if connection < 0, [EINTR, ECONNABORTED].contains(errno) { continue }
      guard connection >= 0 else { return }
      Thread.detachNewThread { [self] in serve(Connection(descriptor: connection)) }
    }
  }

  /// Every secret that passed here, whoever made it.
  private func note(_ request: ReceivedRequest, _ reply: Reply) {
    guard SecretSweep.isOn else { return }
    SecretSweep.made(text: request.bearer)
    var bodies = [request.body]
    if case .answer(_, _, let body) = reply { bodies.append(body) }
    for body in bodies {
      guard let object = JSONObject(String(decoding: body, as: UTF8.self)) else { continue }
      for name in ScriptedBackend.secretNames { SecretSweep.made(text: object.string(name)) }
    }
  }

  private static let secretNames = [
    "password", "access_token", "refresh_token", "identity_seed", "accessToken", "refreshToken",
  ]

  private func serve(_ connection: Connection) {
    defer { connection.hangUp() }
    while let request = connection.readRequest() {
      log.withLock { $0.append(request) }
      let reply = script(request)
      note(request, reply)
      switch reply {
      case .hangUp: return
      case .half(let body):
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
        _ = connection.write(Data(head.utf8) + body.prefix(body.count / 2))
        return
      case .answer(let status, let headers, let body):
        var head = "HTTP/1.1 \(status) Scripted\r\n"
        let all = headers.merging(["Content-Length": "\(body.count)"]) { given, _ in given }
        for (name, value) in all { head += "\(name): \(value)\r\n" }
        let sent = request.method == "HEAD" ? Data() : body
        guard connection.write(Data((head + "\r\n").utf8) + sent) else { return }
      }
    }
  }
}

/// One accepted connection: reads requests, writes bytes.
private final class Connection {
  private let descriptor: Int32
  private var buffer = Data()

  init(descriptor: Int32) { self.descriptor = descriptor }

  func hangUp() { close(descriptor) }

  func readRequest() -> ReceivedRequest? {
    let end = Data("\r\n\r\n".utf8)
    var headEnd: Range<Data.Index>?
    while true {
      headEnd = buffer.range(of: end)
      if headEnd != nil { break }
      guard fill() else { return nil }
    }
    guard let headEnd else { return nil }
    let head = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self)
    buffer = Data(buffer[headEnd.upperBound...])
    var lines = head.components(separatedBy: "\r\n")
    let first = lines.removeFirst().split(separator: " ")
    guard first.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while buffer.count < length { guard fill() else { return nil } }
    let body = Data(buffer.prefix(length))
    buffer = Data(buffer.dropFirst(length))
    return ReceivedRequest(
      method: String(first[0]),
      target: String(first[1]),
      headers: headers,
      body: body
    )
  }

  func write(_ data: Data) -> Bool {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffer.append(contentsOf: chunk[..<count])
    return true
  }

  private var sendFlags: Int32 {
    #if canImport(Darwin)
    0
    #else
    Int32(MSG_NOSIGNAL)
    #endif
  }
}

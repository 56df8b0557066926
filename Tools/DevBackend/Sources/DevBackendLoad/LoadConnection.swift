internal import Foundation

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// A kept HTTP/1.1 connection to a backend on this machine, for one thread; each call blocks.
final class LoadConnection {
  /// No answer came, or none that could be read: the instance is gone, or going.
  struct NoAnswer: Error {}

  /// An answer.
  struct Answer {
    let status: Int
    let body: Data

    /// A member of the body that is a string.
    func text(_ name: String) -> String? {
      let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
      return object?[name] as? String
    }
  }

  private let port: UInt16
  private var descriptor: Int32 = -1
  private var buffer: [UInt8] = []

  init(port: UInt16) { self.port = port }

  deinit { disconnect() }

  /// Sends a request and reads its answer; a connection that had gone stale is made again once.
  func ask(
    _ method: String,
    _ path: String,
    body: [String: String]? = nil,
    bearer: String? = nil,
    attempt: String? = nil
  ) throws -> Answer {
    let content = try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data()
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if let bearer { head += "Authorization: Bearer \(bearer)\r\n" }
    if let attempt { head += "X-Request-Id: \(attempt)\r\n" }
    head += "Content-Length: \(content.count)\r\n\r\n"
    if descriptor < 0 { try connect() }
    do {
      try write(Array(head.utf8) + content)
      return try read()
    } catch {
      disconnect()
      throw error
    }
  }

  func disconnect() {
    if descriptor >= 0 { close(descriptor) }
    (descriptor, buffer) = (-1, [])
  }

  private func connect() throws {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw NoAnswer() }
    var one: Int32 = 1
    setsockopt(
      descriptor,
      Int32(IPPROTO_TCP),
      TCP_NODELAY,
      &one,
      socklen_t(MemoryLayout<Int32>.size)
    )
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #if canImport(Glibc)
        Glibc.connect(descriptor, address, size)
        #else
        Darwin.connect(descriptor, address, size)
        #endif
      }
    }
    guard status == 0 else {
      disconnect()
      throw NoAnswer()
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw NoAnswer() }
      rest = rest.dropFirst(count)
    }
  }

  private func read() throws -> Answer {
    while true {
      if let answer = try parse() { return answer }
      var chunk = [UInt8](repeating: 0, count: 8_192)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { throw NoAnswer() }
      buffer += chunk[..<count]
    }
  }

  private func parse() throws -> Answer? {
    let data = Data(buffer)
    guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw NoAnswer()
    }
    var length = 0
    for line in lines.dropFirst() where line.lowercased().hasPrefix("content-length:") {
      length = Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
    }
    guard data.count >= end.upperBound + length else { return nil }
    let body = data[end.upperBound..<end.upperBound + length]
    buffer.removeFirst(end.upperBound + length)
    return Answer(status: status, body: Data(body))
  }
}

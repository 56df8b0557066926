import Dispatch
import Foundation

@testable import DevBackend

#if canImport(Glibc)
import Glibc
#endif

/// One HTTP answer.
struct TestAnswer: Sendable {
  let status: Int
  /// By lower-case name.
  let headers: [String: String]
  let body: [UInt8]

  var json: JSONValue { JSONValue(parsing: body) ?? .null }
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A client that does nothing by itself: no retries, no cookies, no redirects.
struct TestClient: Sendable {
  let port: UInt16

  /// No answer came: the connection was closed before.
  struct NoAnswer: Error {}

  func send(
    _ method: String,
    _ path: String,
    _ body: JSONValue? = nil,
    bearer: String? = nil,
    headers: [String: String] = [:]
  ) async throws -> TestAnswer {
    try await send(method, path, bytes: body?.utf8 ?? [], bearer: bearer, headers: headers)
  }

  func send(
    _ method: String,
    _ path: String,
    bytes: [UInt8],
    bearer: String? = nil,
    headers: [String: String] = [:]
  ) async throws -> TestAnswer {
    var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
    if headers["Host"] == nil { head += "Host: 127.0.0.1\r\n" }
    if let bearer { head += "Authorization: Bearer \(bearer)\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if !bytes.isEmpty { head += "Content-Length: \(bytes.count)\r\n" }
    let answer = try await exchange(Array("\(head)\r\n".utf8) + bytes)
    return try Self.parse(answer)
  }

  /// Sends bytes as they are, and reads until the server closes the connection.
  func exchange(_ request: [UInt8]) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.blockingExchange(request) })
      }
    }
  }

  private func blockingExchange(_ request: [UInt8]) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw NoAnswer() }
    var rest = request[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard written > 0 else { break }
      rest = rest.dropFirst(written)
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
      answer += buffer[..<count]
    }
    return answer
  }

  static func parse(_ bytes: [UInt8]) throws -> TestAnswer {
    guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { throw NoAnswer() }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let parts = lines[0].split(separator: " ")
    guard parts.count > 1, let status = Int(parts[1]) else { throw NoAnswer() }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let sides = line.split(separator: ":", maxSplits: 1)
      headers[sides[0].lowercased()] = sides[1].trimmingCharacters(in: .whitespaces)
    }
    return TestAnswer(status: status, headers: headers, body: Array(bytes[end.upperBound...]))
  }
}

import BenchKit
import CEventLoop
import Glibc

/// A backend in a process of its own that does as little as it can: one thread, kept connections,
/// one resource, one refresh.
///
/// It takes any access token but a stale one, and gives out tokens that live for a quarter of an
/// hour.
struct LoopbackServer {
  private let listener: Int32
  private let queue: Int32
  private var connections: [Int32: [UInt8]] = [:]
  private var refreshes = 0

  /// What a resource answers.
  static let resource = #"{"id":"user-1","username":"ada","email":"ada@example.org"}"#
  /// The access token that is answered with 401.
  static let staleToken: StaticString = "stale-access-token-000000000000000000000000"

  /// Serves until the parent ends this process's input; says first on which port.
  static func run() throws {
    var server = try LoopbackServer()
    try server.serve()
  }

  private init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    self.listener = listener
    queue = ceventloop_create()
    guard isListening, queue >= 0 else { throw Failure("no free port") }
    watch(listener)
    watch(0)
    Child.report("\(UInt16(bigEndian: address.sin_port))")
  }

  private mutating func serve() throws {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while true {
      let count = epoll_wait(queue, &events, 64, -1)
      for index in 0..<Int(max(0, count)) {
        switch Int32(ceventloop_token(&events[index])) {
        case 0: return
        case listener:
          let client = accept(listener, nil, nil)
          guard client >= 0 else { continue }
          var on: Int32 = 1
          let size = socklen_t(MemoryLayout<Int32>.size)
          setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
          connections[client] = []
          watch(client)
        case let client: read(client)
        }
      }
    }
  }

  private func watch(_ descriptor: Int32) {
    _ = ceventloop_control(queue, EPOLL_CTL_ADD, descriptor, 1, 0, UInt64(descriptor))
  }

  private mutating func read(_ client: Int32) {
    let isOpen = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = recv(client, buffer.baseAddress, buffer.count, 0)
      guard count > 0 else { return false }
      // Requests come one by one and whole, as a rule; what does not is kept for later.
      guard let waiting = connections[client], !waiting.isEmpty else {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if !answer(client, bytes) { connections[client] = Array(bytes) }
        return true
      }
      let bytes = waiting + buffer.prefix(count)
      connections[client] = bytes.withUnsafeBytes { answer(client, $0) } ? [] : bytes
      return true
    }
    guard !isOpen else { return }
    connections[client] = nil
    close(client)
  }

  /// Answers a request; false where it is not whole.
  private mutating func answer(_ client: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let end = LoopbackServer.find("\r\n\r\n", in: bytes) else { return false }
    let isRefresh = bytes.starts(with: "POST /auth/refresh ".utf8)
    if isRefresh {
      var length = 0
      if let start = LoopbackServer.find("Content-Length: ", in: bytes) {
        for digit in bytes[(start + 16)...].prefix(while: { (0x30...0x39).contains($0) }) {
          length = length * 10 + Int(digit - 0x30)
        }
      }
      guard bytes.count >= end + 4 + length else { return false }
      refreshes += 1
      let number = String(refreshes)
      let token = "fresh-access-token-" + String(repeating: "0", count: 24 - number.count) + number
      send(
        client,
        #"{"access_token":"\#(token)","refresh_token":"refresh-\#(token)","expires_in":900}"#
      )
    } else if bytes.starts(with: "GET /refreshes ".utf8) {
      send(client, #"{"count":\#(refreshes)}"#)
    } else if LoopbackServer.find("Authorization: Bearer ", in: bytes) == nil
      || LoopbackServer.find(LoopbackServer.staleToken, in: bytes) != nil
    {
      send(client, "{}", status: "401 Unauthorized")
    } else {
      send(client, LoopbackServer.resource)
    }
    return true
  }

  private func send(_ client: Int32, _ body: String, status: String = "200 OK") {
    var answer =
      "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
      + "Date: Mon, 30 Nov 2026 08:00:00 GMT\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    _ = answer.withUTF8 { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  private static func find(_ wanted: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    let text = UnsafeRawBufferPointer(
      start: wanted.utf8Start,
      count: wanted.utf8CodeUnitCount
    )
    guard let start = bytes.baseAddress, let wanted = text.baseAddress, let first = text.first
    else {
      return nil
    }
    var rest = bytes[...]
    while rest.count >= text.count,
      let found = memchr(start + rest.startIndex, Int32(first), rest.count)
    {
      let index = UnsafeRawPointer(found) - start
      guard bytes.count - index >= text.count else { return nil }
      if memcmp(found, wanted, text.count) == 0 { return index }
      rest = bytes[(index + 1)...]
    }
    return nil
  }
}

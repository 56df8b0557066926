import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server that says what a test wants, byte for byte, on threads of its own that may block.
final class RawServer: Sendable {
  /// One accepted connection.
  struct Connection: Sendable {
    fileprivate let descriptor: Int32
    fileprivate let counts: Counts

    /// The number of the connection, from 1.
    let number: Int

    /// Sends bytes as they are; a client that has gone is none of a server's business.
    func send(_ bytes: [UInt8]) {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal)
        }
        guard count > 0 else { return }
        sent += count
      }
    }

    /// Reads until the client has sent HEADERS on a stream, and says which one; nil at the end.
    func request() -> UInt32? {
      while let frame = nextFrame() {
        if frame.type == 1 {
          counts.requests.add(1, ordering: .relaxed)
          return frame.stream
        }
      }
      return nil
    }

    /// Ends the own side; what was sent before still arrives, which a reset would not leave to it.
    func end() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads and drops until the client closes.
    func drain() {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
    }

    /// The next frame of the client; the preface was read when the connection was accepted.
    func nextFrame() -> (type: UInt8, flags: UInt8, stream: UInt32, payload: [UInt8])? {
      guard let head = read(9) else { return nil }
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let payload = read(length) else { return nil }
      return (head[3], head[4], stream, payload)
    }

    func read(_ count: Int) -> [UInt8]? {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var buffer = [UInt8](repeating: 0, count: count - bytes.count)
        let got = recv(descriptor, &buffer, buffer.count, 0)
        guard got > 0 else { return nil }
        bytes += buffer[..<got]
      }
      return bytes
    }
  }

  let port: Int
  private let listener: Int32
  private let state = Mutex(State())

  fileprivate final class Counts: Sendable {
    let requests = Atomic(0)
  }

  private let counts = Counts()

  private struct State {
    var connections = 0
    var open: Set<Int32> = []
    var isStopped = false
  }

  /// The connections accepted so far.
  var connections: Int { state.withLock { $0.connections } }

  /// The requests that scripts have waited for so far.
  var requests: Int { counts.requests.load(ordering: .relaxed) }

  /// Runs `script` for each connection, and closes the connection when it returns.
  init(_ script: @escaping @Sendable (Connection) -> Void) throws {
    listener = socket(AF_INET, streamType, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutableBytes(of: &address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { start in
        guard let pointer = start.baseAddress else { return false }
        return bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        guard let number = began(client) else { return }
        Thread.detachNewThread { [self] in
          script(Connection(descriptor: client, counts: counts, number: number))
          ended(client)
        }
      }
    }
  }

  /// Closes everything.
  func stop() {
    let open = state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped ? [] : state.open.union([listener])
    }
    // Not closed here: their own threads do that, or the numbers would be others' by then.
    for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func began(_ client: Int32) -> Int? {
    state.withLock { state in
      if state.isStopped {
        close(client)
        return nil
      }
      state.open.insert(client)
      state.connections += 1
      return state.connections
    }
  }

  private func ended(_ client: Int32) {
    state.withLock { state in
      state.open.remove(client)
      close(client)
    }
  }
}

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#else
private let streamType = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

import Foundation

@testable import DevBackend

/// A TCP connection to a backend on this machine that says what a test wants, or nothing.
final class RawConnection: Sendable {
  private let descriptor: Int32

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: the backend's.
  ///   - address: the last byte of the own address, 127.0.0.x.
  /// - Throws: ``TestClient/NoAnswer`` where it cannot.
  init(to port: UInt16, from address: UInt32 = 1) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.call(bind, descriptor, address, 0) == 0,
      Self.call(connect, descriptor, 1, port) == 0
    else { throw TestClient.NoAnswer() }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Everything that the server says until it closes the connection.
  func untilClosed() async throws -> [UInt8] {
    try await Executable.off { self.rest() }
  }

  private func rest() -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
      all += buffer[..<count]
    }
    return all
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32,
    _ descriptor: Int32,
    _ address: UInt32,
    _ port: UInt16
  ) -> Int32 {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = (UInt32(0x7F00_0000) + address).bigEndian
    return withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

import Foundation

/// A port of this machine that is given to nobody else while a test has it, whether its server runs
/// or not: other tests start servers all the time, and the system hands out again what is free.
///
/// A socket is bound to it and does not listen. So whoever connects is refused, and a server that
/// allows the reuse of addresses can listen there all the same.
final class ReservedPort: Sendable {
  let number: Int
  private let descriptor: Int32

  init() throws {
    descriptor = ReservedPort.socket()
    number = try ReservedPort.bind(descriptor, to: 0)
    #if !os(Linux)
    // Elsewhere a bound socket keeps everybody out.
    close(descriptor)
    #endif
  }

  deinit {
    #if os(Linux)
    close(descriptor)
    #endif
  }

  /// A socket that listens there.
  func listen() throws -> Int32 {
    let listener = ReservedPort.socket()
    _ = try ReservedPort.bind(listener, to: number)
    guard Foundation.listen(listener, 128) == 0 else { throw POSIXError(.EADDRINUSE) }
    return listener
  }

  private static func socket() -> Int32 {
    #if canImport(Darwin)
    let kind = SOCK_STREAM
    #else
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    let descriptor = Foundation.socket(AF_INET, kind, 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Returns the port that it really has.
  private static func bind(_ descriptor: Int32, to port: Int) throws -> Int {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Foundation.bind(descriptor, address, length) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard descriptor >= 0, isBound else { throw POSIXError(.EADDRINUSE) }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// A socket that listens; made here, since libmicrohttpd does not say why it could not make one.
struct ListeningSocket {
  let descriptor: Int32
  /// The port that it really has.
  let port: UInt16

  /// Resolves the host (this may block) and listens on its first address that works.
  ///
  /// - Throws: ``BackendError`` that says what to do where it cannot.
  init(host: String, port: UInt16, option: String = "--port") throws(BackendError) {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = Self.stream
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
      throw BackendError(
        .cannotListen,
        "cannot resolve --host \(host); give an address of this machine"
      )
    }
    defer { freeaddrinfo(list) }
    var failure: Int32 = 0
    for address in sequence(first: first, next: { $0.pointee.ai_next }) {
      if let descriptor = Self.listen(on: address.pointee, failure: &failure) {
        self.descriptor = descriptor
        self.port = Self.port(of: descriptor)
        return
      }
    }
    throw failure == EADDRINUSE
      ? BackendError(
        .portInUse,
        "port \(port) on \(host) is in use; stop what listens there, or choose another \(option)"
      )
      : BackendError(
        .cannotListen,
        "cannot listen on \(host) port \(port): \(String(cString: strerror(failure)))"
      )
  }

  func close() { _ = systemClose(descriptor) }

  private static func listen(on address: addrinfo, failure: inout Int32) -> Int32? {
    let descriptor = socket(address.ai_family, stream | closeOnExec, 0)
    guard descriptor >= 0 else {
      failure = errno
      return nil
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
      systemListen(descriptor, 512) == 0
    else {
      failure = errno
      _ = systemClose(descriptor)
      return nil
    }
    return descriptor
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = getsockname(descriptor, address, &length)
      }
      // The port lies at the same place for IPv4 and IPv6.
      return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }

  #if canImport(Darwin) || canImport(Android)
  private static let stream = SOCK_STREAM
  private static let closeOnExec: Int32 = 0
  #else
  private static let stream = Int32(SOCK_STREAM.rawValue)
  // At once, so that no child process that is started meanwhile inherits it.
  private static let closeOnExec = Int32(SOCK_CLOEXEC.rawValue)
  #endif
}

// The methods above hide the functions of the same names.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
  listen(descriptor, backlog)
}

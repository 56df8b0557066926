#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Dispatch

/// One address that a name stands for.
struct SocketAddress: Sendable {
  let family: Int32
  private let bytes: [UInt8]

  /// Runs `body` with the address in the form of the C library.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      // The array holds a whole `sockaddr` of its family and is aligned for any of them; the
      // base address exists because no address is empty.
      let address = raw.assumingMemoryBound(to: sockaddr.self)
      guard let base = address.baseAddress else { preconditionFailure("an empty address") }
      return body(base, socklen_t(raw.count))
    }
  }

  /// Gives the addresses of a host, in the order the resolver prefers.
  ///
  /// It is asked on a thread of its own queue, for it blocks.
  static func resolve(
    host: String,
    port: Int,
    passive: Bool = false,
    _ done: @escaping @Sendable (Result<[SocketAddress], ByteStreamError>) -> Void
  ) {
    DispatchQueue.global().async { done(lookUp(host: host, port: port, passive: passive)) }
  }

  private static func lookUp(
    host: String,
    port: Int,
    passive: Bool
  ) -> Result<[SocketAddress], ByteStreamError> {
    var hints = addrinfo()
    #if canImport(Glibc)
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
    hints.ai_socktype = SOCK_STREAM
    #endif
    if passive { hints.ai_flags = AI_PASSIVE }
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    guard status == 0 else {
      let reason = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
      return .failure(ByteStreamError(.network, "\(host) cannot be resolved: \(reason)"))
    }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr {
        let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
        addresses.append(SocketAddress(family: entry.ai_family, bytes: Array(raw)))
      }
      next = entry.ai_next
    }
    if addresses.isEmpty {
      return .failure(ByteStreamError(.network, "\(host) has no address."))
    }
    return .success(addresses)
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Where a connection comes from, as far as a limit goes.
///
/// An IPv4 address, also in IPv6's form, or the first 64 bits of an IPv6 one: whoever has one of
/// those has them all.
struct PeerNetwork: Hashable, Sendable {
  private let bytes: [UInt8]

  /// Nil for what is no address: 4 or 16 bytes, in network order.
  init?(address: [UInt8]) {
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    switch address.count {
    case 4: bytes = address
    case 16: bytes = address.starts(with: mapped) ? Array(address.suffix(4)) : Array(address[..<8])
    default: return nil
    }
  }

  /// The other end of a connected socket; nil where it is gone, or no Internet address.
  init?(descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = withUnsafeMutableBytes(of: &storage) { raw in
      // The storage is as large and aligned as any address.
      raw.withMemoryRebound(to: sockaddr.self) { getpeername(descriptor, $0.baseAddress, &length) }
    }
    guard status == 0 else { return nil }
    // Behind the family and port lies the address, and in IPv6 a flow label before it.
    let address: [UInt8] = withUnsafeBytes(of: storage) { raw in
      switch Int32(storage.ss_family) {
      case AF_INET: Array(raw[4..<8])
      case AF_INET6: Array(raw[8..<24])
      default: []
      }
    }
    self.init(address: address)
  }
}

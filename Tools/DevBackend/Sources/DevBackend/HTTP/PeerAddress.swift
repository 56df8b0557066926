#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif

/// The address that a request comes from.
struct PeerAddress: Equatable, Sendable {
  /// 4 bytes of IPv4, or 16 of IPv6.
  let bytes: [UInt8]

  /// Nil for anything but 4 or 16 bytes; an IPv4 address in IPv6's form is taken for what it is.
  init?(bytes: [UInt8]) {
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    switch bytes.count {
    case 4: self.bytes = bytes
    case 16: self.bytes = bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    default: return nil
    }
  }

  /// An address as text, without port or brackets; nil where it is none.
  init?(_ text: String) {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.init(bytes: bytes)
    } else if inet_pton(AF_INET, text, &bytes) == 1 {
      self.init(bytes: Array(bytes.prefix(4)))
    } else {
      return nil
    }
  }

  /// What stands for whoever is behind the address: one has a whole /64 of IPv6 to choose from.
  var network: String { Hexadecimal.encode(Array(bytes.count == 4 ? bytes[...] : bytes.prefix(8))) }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The host of a URL: an ASCII name, an IPv4 address, or an IPv6 address in brackets.
enum HostName {
  /// The host in the one form that origins are compared in.
  static func canonical(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> String {
    if bytes.first == UInt8(ascii: "[") { return try canonicalIPv6(bytes) }
    guard bytes.allSatisfy({ $0 < 0x80 }) else { throw HTTPURLError(.internationalHost) }
    guard !bytes.isEmpty, bytes.count <= 253, bytes.allSatisfy(isNameCharacter),
      !hasEmptyLabel(bytes)
    else { throw HTTPURLError(.host) }
    // What ends in a number is an address to the resolver, also as `0x7f.1` or `2130706433`:
    // only the plain form of one is taken, so that loopback cannot be written in disguise.
    if endsInNumber(bytes), !isIPv4(bytes) { throw HTTPURLError(.host) }
    return String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
  }

  /// Whether the bytes are four decimal numbers of 0 to 255 without leading zeros.
  static func isIPv4(_ bytes: ArraySlice<UInt8>) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard (1...3).contains(part.count), part.allSatisfy(isDigit) else { return false }
        let value = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return value <= 255 && (part.count == 1 || part.first != UInt8(ascii: "0"))
      }
  }

  private static func canonicalIPv6(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> String {
    guard bytes.last == UInt8(ascii: "]") else { throw HTTPURLError(.host) }
    let address = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    var binary = in6_addr()
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard !address.utf8.contains(0), inet_pton(AF_INET6, address, &binary) == 1,
      inet_ntop(AF_INET6, &binary, &text, socklen_t(text.count)) != nil
    else { throw HTTPURLError(.host) }
    let canonical = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "[" + String(decoding: canonical, as: UTF8.self) + "]"
  }

  private static func hasEmptyLabel(_ bytes: ArraySlice<UInt8>) -> Bool {
    // One dot at the very end is the DNS root and stands.
    let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
    return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .contains(where: \.isEmpty)
  }

  private static func endsInNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let last = bytes.split(separator: UInt8(ascii: ".")).last else { return false }
    let isHexadecimal = last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
    return isHexadecimal || last.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.asciiLowercased)
      || "-._".utf8.contains(byte)
  }
}

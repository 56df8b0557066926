/// An absolute `http` or `https` URL (RFC 3986), taken apart once.
///
/// Kept as text, not as Foundation's `URL`, so that what is checked for its origin is byte for
/// byte what is sent.
public struct HTTPURL: Hashable, Sendable {
  /// Scheme, host and port: what a token belongs to (R8).
  public let origin: Origin
  /// The path and the query, beginning with `/`, as they stand in the request line.
  public let target: String

  /// A URL from its parts, as they are.
  public init(origin: Origin, target: String) {
    self.origin = origin
    self.target = target
  }

  /// A URL from its text, or nil where ``init(parsing:)`` throws.
  public init?(_ text: String) {
    guard let url = try? HTTPURL(parsing: text) else { return nil }
    self = url
  }

  /// A URL from its text.
  ///
  /// Scheme and host are lower-cased, a default port is filled in, an IPv6 address is written in
  /// its canonical form, a fragment is dropped; path and query stay as they are.
  ///
  /// - Throws: ``HTTPURLError`` for another scheme, a user name, a host that is neither ASCII
  ///   name nor address, a port out of range, and a character that no URL may hold.
  public init(parsing text: String) throws(HTTPURLError) {
    var bytes = Array(text.utf8)[...]
    guard let scheme = HTTPURL.takeScheme(&bytes) else { throw HTTPURLError(.scheme) }
    bytes = bytes.prefix { $0 != UInt8(ascii: "#") }
    let authority = bytes.prefix { !"/?".utf8.contains($0) }
    let rest = bytes[authority.endIndex...]
    origin = try Origin(scheme: scheme, authority: authority)
    try URLCharacters.check(rest)
    let separator = rest.first == UInt8(ascii: "/") ? "" : "/"
    target = separator + String(decoding: rest, as: UTF8.self)
  }

  /// The URL's text, without the port where it is the scheme's own.
  public var text: String { origin.text + target }

  /// The path without the query, beginning with `/`.
  public var path: Substring { Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }) }

  /// Whether a secret may travel there unasked: `https`, or a host that is this machine itself
  /// (`localhost`, `127.0.0.0/8`, `::1`).
  public var isSecureOrLoopback: Bool { origin.scheme == "https" || origin.isLoopback }

  /// Takes `http://` or `https://`, in any case, off the front.
  static func takeScheme(_ bytes: inout ArraySlice<UInt8>) -> String? {
    func take(_ prefix: StaticString) -> Bool {
      let prefix = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
      guard bytes.count >= prefix.count,
        zip(bytes, prefix).allSatisfy({ $0.asciiLowercased == $1 })
      else { return false }
      bytes = bytes.dropFirst(prefix.count)
      return true
    }
    return take("https://") ? "https" : take("http://") ? "http" : nil
  }
}

extension HTTPURL: CustomStringConvertible {
  /// The URL's text.
  public var description: String { text }
}

extension UInt8 {
  /// The lower-case letter for an upper-case one, every other byte as it is.
  var asciiLowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

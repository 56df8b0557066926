extension HTTPURL {
  /// Scheme, host and port.
  ///
  /// `localhost` and `127.0.0.1` are two origins.
  public struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// Lower-case host; an IPv6 address stands in brackets.
    public let host: String
    /// The port, the scheme's own where none was given.
    public let port: Int
    /// The origin's text, without the port where it is the scheme's own.
    public let text: String
    /// Whether the host is this machine itself: `localhost`, `127.0.0.0/8`, `::1`.
    public let isLoopback: Bool

    /// An origin from its parts, as they are.
    public init(scheme: String, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
      // Each request asks for these again.
      text =
        port == Origin.defaultPort(of: scheme)
        ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
      isLoopback =
        host == "localhost" || host == "[::1]"
        || (host.hasPrefix("127.") && HostName.isIPv4(Array(host.utf8)[...]))
    }

    /// Equal parts.
    public static func == (left: Origin, right: Origin) -> Bool {
      left.port == right.port && left.host == right.host && left.scheme == right.scheme
    }

    /// Hashes the parts.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(scheme)
      hasher.combine(host)
      hasher.combine(port)
    }

    init(scheme: String, authority: ArraySlice<UInt8>) throws(HTTPURLError) {
      guard !authority.contains(UInt8(ascii: "@")) else { throw HTTPURLError(.userInfo) }
      let isAddress = authority.first == UInt8(ascii: "[")
      let hostEnd =
        isAddress
        ? authority.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
        : authority.firstIndex(of: UInt8(ascii: ":"))
      let name = authority[..<(hostEnd ?? authority.endIndex)]
      self.init(
        scheme: scheme,
        host: try HostName.canonical(name),
        port: try Origin.port(authority[name.endIndex...], scheme: scheme)
      )
    }

    private static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    /// Reads `:8080`; nothing, or a colon alone, is the scheme's own port (RFC 3986, 3.2.3).
    private static func port(
      _ text: ArraySlice<UInt8>,
      scheme: String
    ) throws(HTTPURLError) -> Int {
      guard let colon = text.first else { return defaultPort(of: scheme) }
      let digits = text.dropFirst()
      guard colon == UInt8(ascii: ":"), digits.count <= 5 else { throw HTTPURLError(.port) }
      if digits.isEmpty { return defaultPort(of: scheme) }
      var value = 0
      for digit in digits {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
          throw HTTPURLError(.port)
        }
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
      }
      guard (1...65_535).contains(value) else { throw HTTPURLError(.port) }
      return value
    }
  }
}

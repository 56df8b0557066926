internal import ByteStream

/// Where a channel connects to.
///
/// Whoever has one has been checked against R8.
public struct GRPCEndpoint: Equatable, Sendable {
  /// The host, IPv6 addresses without brackets.
  public let host: String

  /// The port, 1 to 65535.
  public let port: Int

  /// Whether TLS is used.
  public var isSecure: Bool { tls != nil }

  let tls: TLSClientConfiguration?

  /// An endpoint from a URL.
  ///
  /// - Parameters:
  ///   - url: `http://host[:port]` (HTTP/2 in the clear) or `https://host[:port]`; no path.
  ///   - caFile: a PEM file of roots to trust instead of the system's.
  ///   - pins: `sha256//BASE64` of the server's public key; several mean any of them.
  ///   - allowsPlainText: whether `http://` may go beyond loopback, tokens and all.
  /// - Throws: ``GRPCEndpointError``.
  public init(
    _ url: String,
    caFile: String? = nil,
    pins: [String] = [],
    allowsPlainText: Bool = false
  ) throws(GRPCEndpointError) {
    let isSecure: Bool
    var rest = url[...]
    if let range = Self.prefix("https://", of: url) {
      (isSecure, rest) = (true, url[range...])
    } else if let range = Self.prefix("http://", of: url) {
      (isSecure, rest) = (false, url[range...])
    } else {
      throw .malformed(url)
    }
    if rest.hasSuffix("/") { rest.removeLast() }
    guard let (host, port) = Self.split(rest, defaultPort: isSecure ? 443 : 80) else {
      throw .malformed(url)
    }
    self.host = host
    self.port = port
    guard isSecure else {
      guard allowsPlainText || Self.isLoopback(host) else {
        throw .plainTextBeyondLoopback(host: host)
      }
      tls = nil
      return
    }
    var parsed: [PublicKeyPin] = []
    for pin in pins {
      guard let pin = PublicKeyPin(pin) else { throw .malformedPin(pin) }
      parsed.append(pin)
    }
    tls = TLSClientConfiguration(caFile: caFile, pins: parsed)
  }

  /// The `:authority` of its requests.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  private static func prefix(_ scheme: String, of url: String) -> String.Index? {
    guard url.lowercased().hasPrefix(scheme) else { return nil }
    return url.index(url.startIndex, offsetBy: scheme.count)
  }

  private static func split(_ text: Substring, defaultPort: Int) -> (host: String, port: Int)? {
    var host = text
    var port = defaultPort
    let afterBracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : text.startIndex
    guard let afterBracket else { return nil }
    if let colon = text[afterBracket...].lastIndex(of: ":") {
      let digits = text[text.index(after: colon)...]
      guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(digits),
        (1...65535).contains(number)
      else { return nil }
      port = number
      host = text[..<colon]
    }
    let isBracketed = host.hasPrefix("[")
    if isBracketed {
      guard host.hasSuffix("]") else { return nil }
      host = host.dropFirst().dropLast()
    }
    let isLegal = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        true
      default: isBracketed && byte == UInt8(ascii: ":")
      }
    }
    guard isLegal, !host.isEmpty else { return nil }
    return (String(host), port)
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

/// An absolute `http` or `https` URL (RFC 3986), taken apart once.
///
/// Kept as text, not as Foundation's `URL`, so that what is checked for its origin is byte for
/// byte what is sent.
public struct HTTPURL: Hashable, Sendable {
  /// Scheme, host and port: what a token belongs to (R8).
  public let origin: Origin
  /// The path and the query, beginning with `/`, as they stand in the request line.
  public let target: String

  /// Scheme, host and port.
  public struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// Lower-case host; an IPv6 address stands in brackets.
    public let host: String
    /// The port, the scheme's own where none was given.
    public let port: Int

    /// An origin from its parts, as they are.
    public init(scheme: String, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }
  }

  /// A URL from its parts, as they are.
  public init(origin: Origin, target: String) {
    self.origin = origin
    self.target = target
  }
}

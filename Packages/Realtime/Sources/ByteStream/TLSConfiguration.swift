/// What a client asks of TLS: a chain to a trusted root, the host's name or address, dates,
/// version 1.2 at least, and `h2` by ALPN.
public struct TLSClientConfiguration: Equatable, Sendable {
  /// A PEM file of roots to trust instead of the system's; nil for the system's.
  public var caFile: String?

  /// If any, the server's key must be one of them, besides all else.
  public var pins: [PublicKeyPin]

  /// A configuration with these roots and pins.
  public init(caFile: String? = nil, pins: [PublicKeyPin] = []) {
    self.caFile = caFile
    self.pins = pins
  }
}

/// What a server shows: its certificate chain and key.
public struct TLSServerConfiguration: Equatable, Sendable {
  /// A PEM file, leaf first.
  public var certificateFile: String

  /// A PEM file of the leaf's key, without a passphrase.
  public var keyFile: String

  /// A configuration from two files, which are read when the server starts.
  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// One header field; names are lower case on the wire.
public struct HTTP2Header: Hashable, Sendable {
  /// The name, with a leading colon for a pseudo-header.
  public var name: String

  /// The value.
  public var value: String

  /// A field from a name and a value.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

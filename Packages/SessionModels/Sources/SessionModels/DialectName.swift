/// Which dialect of the auth API a session speaks.
///
/// A name that this build does not know is kept.
public struct DialectName: RawRepresentable, Hashable, Sendable, Codable {
  /// The name, as in `--dialect`.
  public let rawValue: String

  /// A dialect by name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// SkyConnect: flat snake_case bodies, no path prefix.
  public static let skyConnect = DialectName(rawValue: "skyconnect")
  /// KSN: camelCase in an envelope, below `/api`.
  public static let ksn = DialectName(rawValue: "ksn")
}

extension DialectName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

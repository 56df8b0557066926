/// What a descriptor is ready for, or is watched for.
public struct Readiness: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt8

  /// A set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is something to read, or the peer closed.
  public static let readable = Readiness(rawValue: 1)

  /// There is room to write.
  public static let writable = Readiness(rawValue: 2)
}

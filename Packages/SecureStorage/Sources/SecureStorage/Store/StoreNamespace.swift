/// A part of a store whose keys no other part shows: one for each module that keeps something.
///
/// There are eight, made together with the store, so that a missing one is always damage.
public struct StoreNamespace: Hashable, Sendable, CaseIterable {
  /// The number, 1 to 8; written in plain, so that a namespace can be wiped without a key.
  public let rawValue: UInt8

  /// A namespace by its number; nil outside 1 to 8.
  public init?(rawValue: UInt8) {
    guard (1...StoreNamespace.count).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(_ number: UInt8) { rawValue = number }

  static let count: UInt8 = 8

  /// Whatever the app's own code keeps.
  public static let user = StoreNamespace(1)
  /// The session and its ``SessionValues``; the only one that may be wiped without a key.
  public static let session = StoreNamespace(2)
  /// Free for what waits to be sent and outlives a session; what does not is a ``SessionValues``.
  public static let outbox = StoreNamespace(3)
  /// What the client remembers about a profile and wants sealed.
  public static let profile = StoreNamespace(4)

  /// All eight, in order.
  public static let allCases: [StoreNamespace] = (1...count).map { StoreNamespace($0) }
}

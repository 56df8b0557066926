/// How a store is opened; the defaults are right outside tests.
public struct StoreOptions: Sendable {
  /// How long a write waits for writers of other processes before it says `busy`.
  public var lockDeadline: Duration
  /// Where keys and nonces come from.
  public var random: RandomSource

  /// Options from their parts.
  public init(lockDeadline: Duration = .seconds(10), random: RandomSource = .system) {
    self.lockDeadline = lockDeadline
    self.random = random
  }
}

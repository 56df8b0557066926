/// How a store is opened; the defaults are right outside tests.
public struct StoreOptions: Sendable {
  /// How long a write waits for writers of other processes before it says `busy`.
  public var lockDeadline: Duration
  /// Where keys and nonces come from.
  public var random: RandomSource
  /// What seals a store that is made now; one that exists keeps its own until
  /// ``SecureStore/rekey(to:cipher:progress:)``.
  public var cipher: CipherName
  /// Which ciphers there are.
  package var suite = CipherSuite.system
  /// What a commit has survived once it returns; the caller's choice, for the session too.
  public var durability: Durability
  /// How opened values are kept in memory.
  public var reads: ReadMode
  /// The time since some moment, which nobody can set: for how often a vault counts.
  public var uptime: @Sendable () -> Duration

  /// Options from their parts.
  public init(
    lockDeadline: Duration = .seconds(10),
    random: RandomSource = .system,
    cipher: CipherName = .xchacha20Poly1305,
    durability: Durability = .full,
    reads: ReadMode = .cached,
    uptime: @escaping @Sendable () -> Duration = StoreOptions.systemUptime
  ) {
    self.lockDeadline = lockDeadline
    self.random = random
    self.cipher = cipher
    self.durability = durability
    self.reads = reads
    self.uptime = uptime
  }

  /// The system's monotonic clock.
  ///
  /// - Returns: The time since the process first asked.
  public static func systemUptime() -> Duration { start.duration(to: .now) }

  private static let start = ContinuousClock.now
}

internal import Synchronization

/// How often a key has sealed in this process since the last commit that says so.
///
/// What a transaction seals before it fails counts as well, with the next commit.
final class SealCount: Sendable {
  private let pending = Atomic<UInt64>(0)

  var value: UInt64 { pending.load(ordering: .relaxed) }

  func increment() { pending.add(1, ordering: .relaxed) }

  /// Takes off what a commit has recorded.
  func recorded(_ count: UInt64) { pending.subtract(count, ordering: .relaxed) }
}

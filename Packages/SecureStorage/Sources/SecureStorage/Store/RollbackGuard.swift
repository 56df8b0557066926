internal import Dispatch
internal import Synchronization

/// Carries out what ``RollbackCounter`` decides.
///
/// Only called under the writers' lock.
final class RollbackGuard: Sendable {
  /// A vault that hangs must not keep every writer waiting for as long as an open may.
  private static let patience = Duration.seconds(5)

  private struct State {
    var counter = RollbackCounter()
    var needsCommit = false
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Duration
  /// One call after the other: a late one must not count behind the back of the next.
  private let calls = DispatchQueue(label: "store.vault.counter")

  init(now: @escaping @Sendable () -> Duration) { self.now = now }

  /// The number for a commit on top of an anchor.
  ///
  /// - Throws: `tampered` where the store is older than its counter.
  func number(
    on anchor: UInt64,
    tag: RowTag,
    isUrgent: Bool,
    _ vault: any CountingVault,
    _ writer: any StorageWriter
  ) throws(StorageError) -> UInt64 {
    var effect = handle(.willCommit(on: anchor, tag: tag, isUrgent: isUrgent, now: now()))
    if effect == .readCounter {
      do throws(StorageError) {
        let counter = try VaultCall.counter(of: vault, within: RollbackGuard.patience, on: calls)
        effect = handle(.read(counter))
      } catch {
        effect = handle(.readFailed)
      }
    }
    if effect == .count { effect = count(tag, vault, writer) }
    guard case .seal(let number) = effect else { throw .rolledBack }
    return number
  }

  /// Counts, where it is time to, after a commit that is durable.
  ///
  /// A vault that fails does not undo the commit: it is counted with the next one.
  func committed(_ tag: RowTag, _ vault: any CountingVault, _ writer: any StorageWriter) {
    carryOut(handle(.committed(tag)), tag, vault, writer)
  }

  /// Counts what was left uncounted.
  func willClose(_ tag: RowTag, _ vault: any CountingVault, _ writer: any StorageWriter) {
    carryOut(handle(.willClose(tag)), tag, vault, writer)
  }

  /// Whether it is worth asking the vault before the store is closed.
  var mayHaveUncounted: Bool { state.withLock { $0.counter.mayHaveUncounted } }

  /// Whether another commit is needed; asked once.
  func takeNeedsCommit() -> Bool {
    state.withLock { state in
      defer { state.needsCommit = false }
      return state.needsCommit
    }
  }

  private func handle(_ event: RollbackCounter.Event) -> RollbackCounter.Effect {
    state.withLock { $0.counter.handle(event) }
  }

  private func carryOut(
    _ effect: RollbackCounter.Effect,
    _ tag: RowTag,
    _ vault: any CountingVault,
    _ writer: any StorageWriter
  ) {
    guard effect == .count, count(tag, vault, writer) == .commitAgain else { return }
    state.withLock { $0.needsCommit = true }
  }

  private func count(
    _ tag: RowTag,
    _ vault: any CountingVault,
    _ writer: any StorageWriter
  ) -> RollbackCounter.Effect {
    do throws(StorageError) {
      // Or a power cut would leave a store that is older than its counter.
      try writer.makeDurable()
      let counter = try VaultCall.count(vault, within: RollbackGuard.patience, on: calls)
      return handle(.counted(tag, counter))
    } catch {
      return handle(.countFailed)
    }
  }
}

extension StorageError {
  static let rolledBack = StorageError(
    .tampered,
    "The store is older than its vault's counter: an old copy was put back",
    advice: "`store reset` sets it aside and starts an empty one."
  )
}

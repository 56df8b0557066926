/// Decides when to try again to open a store whose vault is locked or cannot be reached.
///
/// It tries when somebody says that the vault may have unlocked, and else after waits that double
/// up to half a minute, for no vault tells of everything: GNOME Keyring says nothing when logging
/// in unlocks it. It holds no clock: events come in, effects go out.
struct AwakeningMachine: Sendable {
  static let firstWait = Duration.seconds(1)
  static let longestWait = Duration.seconds(30)

  enum Event: Equatable {
    /// Somebody wants the store now.
    case wanted
    /// Opening failed.
    case failed(StorageError)
    case opened
    /// The vault, or the app, says that trying is worth while.
    case mayHaveUnlocked
    /// The wait of this number is over.
    case due(Int)
  }

  enum Effect: Equatable {
    case open
    /// Send ``Event/due(_:)`` after this time, and forget the waits before.
    case wait(Duration, number: Int)
    /// Another reason than the one before.
    case tell(StorageError)
  }

  private enum Stage {
    case idle
    /// `isStale` where the vault may have unlocked after it was asked.
    case opening(isStale: Bool)
    case waiting(isShort: Bool)
    case open
  }

  /// Why the store is not open, as last known.
  private(set) var error = StorageError(
    .vaultUnavailable,
    "The store is still being opened",
    advice: "Try again in a moment."
  )
  private var stage = Stage.idle
  private var wait = firstWait
  private var number = 0
  /// One try at once for each wait: a daemon that dies whenever it is asked would else be asked
  /// without end, since its coming and going is told, too.
  private var mayTryAtOnce = true

  mutating func handle(_ event: Event) -> [Effect] {
    switch (event, stage) {
    case (.opened, .opening):
      stage = .open
      return []
    case (.wanted, .idle), (.wanted, .waiting): return open()
    case (.due(number), .waiting):
      mayTryAtOnce = true
      return open()
    case (.mayHaveUnlocked, .opening):
      stage = .opening(isStale: true)
      return []
    case (.mayHaveUnlocked, .idle), (.mayHaveUnlocked, .waiting): return tryAgain()
    case (.failed(let error), .opening(let isStale)):
      let news: [Effect] = error == self.error ? [] : [.tell(error)]
      self.error = error
      return news + rest(after: error, isStale: isStale)
    case (.opened, _), (.wanted, _), (.due, _), (.mayHaveUnlocked, .open), (.failed, _): return []
    }
  }

  private mutating func rest(after error: StorageError, isStale: Bool) -> [Effect] {
    stage = .idle
    if isStale { return tryAgain() }
    // All else does not pass by itself.
    guard error.code == .vaultLocked || error.code == .vaultUnavailable else { return [] }
    defer { wait = min(wait * 2, AwakeningMachine.longestWait) }
    return sleep(wait, isShort: false)
  }

  private mutating func tryAgain() -> [Effect] {
    if mayTryAtOnce {
      mayTryAtOnce = false
      return open()
    }
    if case .waiting(isShort: true) = stage { return [] }
    return sleep(AwakeningMachine.firstWait, isShort: true)
  }

  private mutating func open() -> [Effect] {
    stage = .opening(isStale: false)
    return [.open]
  }

  private mutating func sleep(_ time: Duration, isShort: Bool) -> [Effect] {
    stage = .waiting(isShort: isShort)
    number += 1
    return [.wait(time, number: number)]
  }
}

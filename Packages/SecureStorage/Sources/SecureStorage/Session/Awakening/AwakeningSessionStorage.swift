public import SessionModels
internal import Synchronization

/// The session in a store that may not be openable yet: its vault is locked before the first
/// unlock of a device, at boot, or while the keyring's daemon is missing.
///
/// ```swift
/// let storage = AwakeningSessionStorage(at: directory, vault: SecretServiceVault(account: directory))
/// for await state in storage.observeAuthInfo() { show(state) }
/// ```
///
/// Until the store is open, ``record()`` and the first element of ``records()`` are the failure,
/// never an empty record (R14), and nothing is deleted. It comes to life by itself: when the vault
/// tells of its unlocking, when the app says ``vaultMayHaveUnlocked()``, and else when it tries
/// again, first after a second and at last every half minute. From then on it is a
/// ``SecureSessionStorage``.
///
/// Only a locked or unreachable vault is waited for. Of all else, such as a lost key, it says the
/// error until somebody tries again with ``open()``.
public final class AwakeningSessionStorage: SessionStorage {
  /// Opens the store, and says which vault it asked for the key.
  typealias Opening = @Sendable (LastVault) async throws(StorageError) -> SecureStore

  private struct State {
    var machine = AwakeningMachine()
    var opened: (store: SecureStore, sessions: SecureSessionStorage)?
    var observers: [Int: AsyncStream<Awakening>.Continuation] = [:]
    var observerCount = 0
    var waiters: [CheckedContinuation<Result<SecureStore, StorageError>, Never>] = []
    var timer: Task<Void, Never>?
    var observation: VaultObservation?
    var attempts = 0
  }

  /// What an observer is told until it has the store's own records.
  private enum Awakening {
    case failed(StorageError)
    case opened(AsyncStream<Result<SessionRecord, StorageError>>)
  }

  private let directory: String
  private let options: StoreOptions
  private let opening: Opening
  private let lastVault = LastVault()
  private let sleep: @Sendable (Duration) async throws -> Void
  private let listening = BlockingQueue(label: "store.awakening")
  private let state = Mutex(State())

  init(
    _ directory: String,
    _ options: StoreOptions,
    _ sleep: @escaping @Sendable (Duration) async throws -> Void,
    _ opening: @escaping Opening
  ) {
    self.directory = directory
    self.options = options
    self.sleep = sleep
    self.opening = opening
    feed(.wanted)
  }

  deinit {
    state.withLock { state in
      state.timer?.cancel()
      for observer in state.observers.values { observer.finish() }
    }
  }

  /// The store, once it is open.
  public var store: SecureStore? { state.withLock { $0.opened?.store } }

  /// Tries now, and gives the store.
  ///
  /// - Returns: The store.
  /// - Throws: what ``SecureStore/open(at:options:vault:)`` throws.
  @discardableResult
  public func open() async throws(StorageError) -> SecureStore {
    let result = await withCheckedContinuation { continuation in
      let store = state.withLock { state in
        if state.opened == nil { state.waiters.append(continuation) }
        return state.opened?.store
      }
      if let store { return continuation.resume(returning: .success(store)) }
      feed(.wanted)
    }
    return try result.get()
  }

  /// Says that trying again is worth while.
  ///
  /// Such as from `applicationProtectedDataDidBecomeAvailable`, or when the app comes to the front.
  /// Calls too many are harmless.
  public func vaultMayHaveUnlocked() { feed(.mayHaveUnlocked) }
}

extension AwakeningSessionStorage {
  /// The last committed record.
  ///
  /// - Returns: The record.
  /// - Throws: why the store is not open; then as ``SecureSessionStorage/record()``.
  public func record() throws(StorageError) -> SessionRecord {
    try sessions().record()
  }

  /// Changes the record, as ``SecureSessionStorage/update(_:)``.
  ///
  /// - Parameter change: Gets the record, returns the new one or nil to leave it.
  /// - Returns: What is stored afterwards.
  /// - Throws: why the store is not open, or ``StorageError``; nothing was written then.
  @discardableResult
  public func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async throws(StorageError) -> SessionRecord {
    try await sessions().update(change)
  }

  /// Removes the session, whether or not the store can be opened (R4).
  ///
  /// - Parameter reason: What ``record()`` says once the store is open.
  /// - Returns: What was removed; nil where it could not be read.
  /// - Throws: `io`, `busy` or `damaged` where the file itself cannot be written.
  @discardableResult
  public func wipe(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    if let sessions = try? sessions() { return try await sessions.wipe(reason: reason) }
    return try await SecureSessionStorage.wipe(storeAt: directory, reason: reason, options: options)
  }

  /// Why the store is not open, where it is not; then the present state, and each change (R13).
  ///
  /// - Returns: A stream that ends when it is dropped or its task is cancelled.
  public func records() -> AsyncStream<Result<SessionRecord, StorageError>> {
    if let sessions = try? sessions() { return sessions.records() }
    let (stream, continuation) = AsyncStream<Result<SessionRecord, StorageError>>.makeStream()
    let awakening = awakening()
    let forwarding = Task {
      for await step in awakening {
        switch step {
        case .failed(let error): continuation.yield(.failure(error))
        case .opened(let records): for await record in records { continuation.yield(record) }
        }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in forwarding.cancel() }
    return stream
  }

  private func sessions() throws(StorageError) -> SecureSessionStorage {
    try state.withLock { state throws(StorageError) in
      guard let opened = state.opened else { throw state.machine.error }
      return opened.sessions
    }
  }

  private func awakening() -> AsyncStream<Awakening> {
    let (stream, continuation) = AsyncStream<Awakening>.makeStream()
    let id = state.withLock { state in
      state.observerCount += 1
      if let opened = state.opened {
        continuation.yield(.opened(opened.sessions.records()))
        continuation.finish()
      } else {
        continuation.yield(.failed(state.machine.error))
        state.observers[state.observerCount] = continuation
      }
      return state.observerCount
    }
    continuation.onTermination = { [weak self] _ in
      // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
      // yields to it waits for that lock with ours held.
      Task { self?.removeObserver(id) }
    }
    return stream
  }

  private func removeObserver(_ id: Int) {
    state.withLock { state in _ = state.observers.removeValue(forKey: id) }
  }
}

// The machine's hands and ears.
extension AwakeningSessionStorage {
  private func feed(_ event: AwakeningMachine.Event) {
    if state.withLock({ handle(event, &$0) }) { Task { await attempt() } }
  }

  /// Under the lock, so that what is told and waited for keeps its order.
  ///
  /// - Returns: Whether to try now.
  private func handle(_ event: AwakeningMachine.Event, _ state: inout State) -> Bool {
    var isTimeToOpen = false
    for effect in state.machine.handle(event) {
      switch effect {
      case .open: isTimeToOpen = true
      case .tell(let error):
        for observer in state.observers.values { observer.yield(.failed(error)) }
      case .wait(let time, let number):
        state.timer?.cancel()
        state.timer = Task { [weak self, sleep] in
          guard (try? await sleep(time)) != nil else { return }
          self?.feed(.due(number))
        }
      }
    }
    return isTimeToOpen
  }

  private func attempt() async {
    await listen()
    do throws(StorageError) {
      awake(try await opening(lastVault))
    } catch {
      let (isTimeToOpen, waiters) = state.withLock { state in
        defer { state.waiters = [] }
        return (handle(.failed(error), &state), state.waiters)
      }
      for waiter in waiters { waiter.resume(returning: .failure(error)) }
      if isTimeToOpen { Task { await attempt() } }
    }
  }

  /// Before a store is opened once more, so that no unlocking falls between.
  ///
  /// The first time there may be nothing to wait for. A vault that could not be reached is listened
  /// to anew: what was listened to may have gone with it.
  private func listen() async {
    let isWanted = state.withLock { state in
      state.attempts += 1
      guard state.attempts > 1 else { return false }
      return state.observation == nil || state.machine.error.code == .vaultUnavailable
    }
    guard isWanted, let vault = lastVault.value as? any UnlockTellingVault else { return }
    let observation = try? await listening.run { () throws(StorageError) in
      vault.observeUnlocking { [weak self] in self?.feed(.mayHaveUnlocked) }
    }
    guard let observation else { return }
    let old = state.withLock { state in
      let old = state.observation
      state.observation = observation
      return old
    }
    withExtendedLifetime(old) {}
  }

  private func awake(_ store: SecureStore) {
    let sessions = SecureSessionStorage(store: store)
    let before = state.withLock { state in
      _ = handle(.opened, &state)
      // Before anybody can change the record through this object: no change is missed (R13).
      for observer in state.observers.values { observer.yield(.opened(sessions.records())) }
      state.opened = (store, sessions)
      let before = state
      (state.observers, state.waiters, state.observation) = ([:], [], nil)
      return before
    }
    for observer in before.observers.values { observer.finish() }
    for waiter in before.waiters { waiter.resume(returning: .success(store)) }
  }
}

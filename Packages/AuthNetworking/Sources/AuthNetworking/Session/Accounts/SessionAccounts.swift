internal import SecureStorage
internal import SessionModels
internal import Synchronization

/// Several accounts side by side, one of them active.
///
/// ```swift
/// let accounts = SessionAccounts(homes: homes) { name, home in
///   SessionController(configuration: configuration, storage: home.storage,
///     transport: transport, lock: home.lock)
/// }
/// let last = try await accounts.restoreActive()
/// let session = if let last { last } else { try await accounts.activate(.random()) }
/// ```
///
/// Each account has a session, a store and a refresh lock of its own, and one
/// ``SessionController`` however often it is asked for; an answer that comes late lands in its own
/// account, whichever is active by then (R4). All members may be used from any task.
///
/// Several objects and processes may share a place. An account that another one has removed gets
/// a new controller, of what is there now, when it is asked for next; the former one's calls throw.
/// Where it was the active one, observers are told ``ActiveAccount/none`` and, where there is one of
/// its name again, that one.
public final class SessionAccounts: Sendable {
  /// Makes the controller of an account.
  public typealias ControllerMaker =
    @Sendable (AccountName, AccountHome) -> SessionController

  private struct Opened {
    var home: AccountHome
    var controller: SessionController
  }

  private typealias Opening = Task<Result<Opened, StorageError>, Never>

  private struct State {
    var controllers: [AccountName: Opening] = [:]
    var active = ActiveAccount.none
    /// Counts switches, so that nothing of the account before comes after one.
    var epoch = 0
    var forwarding: Task<Void, Never>?
    var observers: [Int: AsyncStream<ActiveAccount>.Continuation] = [:]
    var observerCount = 0
    var turns: Task<Void, Never>?

    mutating func tell(_ account: ActiveAccount) {
      guard account != active else { return }
      active = account
      for observer in observers.values { observer.yield(account) }
    }
  }

  private let homes: any AccountHomes
  private let makeController: ControllerMaker
  private let state = Mutex(State())

  /// The accounts of a place; opens none.
  public init(homes: any AccountHomes, makeController: @escaping ControllerMaker) {
    self.homes = homes
    self.makeController = makeController
  }

  deinit {
    state.withLock { state in
      state.forwarding?.cancel()
      for observer in state.observers.values { observer.finish() }
    }
  }

  /// The active account and its state, as observers were told last.
  public var active: ActiveAccount { state.withLock { $0.active } }

  /// The present account and state first, then each change and each switch in order (R13).
  ///
  /// After a switch nothing of the account before comes any more.
  public func states() -> AsyncStream<ActiveAccount> {
    let (stream, continuation) = AsyncStream<ActiveAccount>.makeStream()
    let number = state.withLock { state in
      state.observerCount += 1
      state.observers[state.observerCount] = continuation
      continuation.yield(state.active)
      return state.observerCount
    }
    continuation.onTermination = { [weak self] _ in
      // In a task of its own: whoever cancels holds the lock of the task that reads, and whoever
      // yields to it waits for that lock with ours held.
      Task { self?.removeObserver(number) }
    }
    return stream
  }

  private func removeObserver(_ number: Int) {
    state.withLock { state in _ = state.observers.removeValue(forKey: number) }
  }

  /// All accounts, by name; one whose store cannot be opened is among them, and says why.
  ///
  /// - Throws: ``AuthError`` of code `storage` where the place itself cannot be read.
  public func accounts() async throws(AuthError) -> [Account] {
    let (names, chosen): ([AccountName], AccountName?)
    do throws(StorageError) { (names, chosen) = (try await present(), try homes.active()) } catch {
      throw AuthError(error)
    }
    var accounts: [Account] = []
    for name in names {
      let record = await opened(name).flatMap { $0.readRecord() }
      accounts.append(Account(name, record, isActive: name == chosen))
    }
    return accounts
  }

  /// An account's session, made where there is none yet; the same object until the account is
  /// removed.
  ///
  /// - Throws: ``AuthError`` of code `storage`.
  public func controller(of name: AccountName) async throws(AuthError) -> SessionController {
    do throws(StorageError) { return try await opened(name).get() } catch { throw AuthError(error) }
  }

  /// The account that was chosen last, active from now on; nil where there is none.
  ///
  /// - Throws: ``AuthError`` of code `storage`.
  public func restoreActive() async throws(AuthError) -> SessionController? {
    let name: AccountName?
    do throws(StorageError) {
      _ = try await present()
      name = try homes.active()
    } catch { throw AuthError(error) }
    guard let name else { return nil }
    return try await activate(name)
  }

  /// Makes an account the active one, durably, and tells the observers; a new one is made where
  /// there is none of that name.
  ///
  /// - Throws: ``AuthError`` of code `storage`; the active account is the one before then.
  @discardableResult
  public func activate(_ name: AccountName) async throws(AuthError) -> SessionController {
    let result = await inTurn { [self] () async -> Result<SessionController, StorageError> in
      let opened = await opened(name)
      guard case .success(let controller) = opened else { return opened }
      do throws(StorageError) { try await homes.setActive(name) } catch { return .failure(error) }
      await switchTo(name, controller)
      return opened
    }
    do throws(StorageError) { return try result.get() } catch { throw AuthError(error) }
  }

  /// Signs an account out and removes it with all that is stored of it; where it is the active one,
  /// none is from then on.
  ///
  /// Who is signed in under the name *now* is signed out, on the server too, be it somebody whom
  /// another process has signed in since this one looked; nothing is removed without that, but what
  /// cannot be opened. What another process stores after the sign-out and before the last file is
  /// gone, goes with the files.
  ///
  /// - Returns: what came of the sign-out; not `revoked` where the account was gone already.
  /// - Throws: ``AuthError`` of code `storage` where its files cannot be removed, or where other
  ///   processes sign in as often as it is signed out (`busy`).
  @discardableResult
  public func remove(_ name: AccountName) async throws(AuthError) -> LogoutOutcome {
    let result = await inTurn { [self] () async -> Result<LogoutOutcome, StorageError> in
      do throws(StorageError) {
        let outcome = try await signOut(name)
        if try homes.active() == name { try await homes.setActive(nil) }
        if active.name == name { await switchTo(nil, nil) }
        state.withLock { _ = $0.controllers.removeValue(forKey: name) }
        try await homes.remove(name)
        return .success(outcome)
      } catch { return .failure(error) }
    }
    do throws(StorageError) { return try result.get() } catch { throw AuthError(error) }
  }

  /// Leaves nobody signed in who is stored under a name.
  private func signOut(_ name: AccountName) async throws(StorageError) -> LogoutOutcome {
    var outcome = LogoutOutcome(revoked: false)
    var wasSignedIn = false
    for _ in 0..<3 {
      guard try homes.names().contains(name) else { return outcome }
      // What cannot be opened cannot be revoked, and is removed all the same.
      guard let opened = try? await openedHome(name).get() else { return outcome }
      let next = await opened.controller.signOut()
      // All that were signed out in turn count, and a controller that held nobody does not.
      if next.wasSignedIn {
        outcome.revoked = next.outcome.revoked && (outcome.revoked || !wasSignedIn)
        wasSignedIn = true
      }
      outcome.storageError = next.outcome.storageError
      let isSignedIn = (try? opened.controller.readRecord().get().authInfo) != nil
      let isDone = !isSignedIn || outcome.storageError != nil
      if await opened.home.isInPlace(), isDone { return outcome }
    }
    throw StorageError(
      .busy,
      "The account \(name) is signed in or made anew by another process while it is removed",
      advice: "Nothing was removed. Try again."
    )
  }

  /// The accounts that there are; the active one is left where it is not among them.
  private func present() async throws(StorageError) -> [AccountName] {
    let (active, epoch) = state.withLock { ($0.active.name, $0.epoch) }
    let names = try homes.names()
    if let active, !names.contains(active) { await switchTo(nil, nil, after: epoch) }
    return names
  }

  private func opened(_ name: AccountName) async -> Result<SessionController, StorageError> {
    await openedHome(name).map(\.controller)
  }

  private func openedHome(_ name: AccountName) async -> Result<Opened, StorageError> {
    let (opening, result) = await open(name)
    guard case .success(let former) = result, await !former.home.isInPlace() else { return result }
    let epoch = await leave(name, opening)
    let present = await open(name).result
    if let epoch, case .success(let opened) = present {
      await switchTo(name, opened.controller, after: epoch)
    }
    return present
  }

  /// Drops what is no longer in place.
  ///
  /// - Returns: the switch away from it; nil where it was not active, or others have left it.
  private func leave(_ name: AccountName, _ opening: Opening) async -> Int? {
    let epoch: Int? = state.withLock { state in
      guard state.controllers[name] == opening else { return nil }
      state.controllers[name] = nil
      return state.active.name == name ? state.epoch : nil
    }
    guard let epoch else { return nil }
    return await switchTo(nil, nil, after: epoch)
  }

  private func open(
    _ name: AccountName
  ) async -> (opening: Opening, result: Result<Opened, StorageError>) {
    let task = state.withLock { state in
      if let task = state.controllers[name] { return task }
      let task = Opening.detached { [homes, makeController] in
        do throws(StorageError) {
          let home = try await homes.open(name)
          return .success(Opened(home: home, controller: makeController(name, home)))
        } catch { return .failure(error) }
      }
      state.controllers[name] = task
      return task
    }
    let result = await task.value
    // What failed is tried again next time: a vault may have been unlocked by then.
    if case .failure = result {
      state.withLock { state in
        if state.controllers[name] == task { state.controllers[name] = nil }
      }
    }
    return (task, result)
  }

  /// Switches, unless another switch than the expected one was the last.
  ///
  /// - Returns: the number of this switch; nil where there was none.
  @discardableResult
  private func switchTo(
    _ name: AccountName?,
    _ controller: SessionController?,
    after expected: Int? = nil
  ) async -> Int? {
    var states = controller?.states().makeAsyncIterator()
    let present = await states?.next() ?? ActiveAccount.none.state
    let epoch: Int? = state.withLock { state in
      guard expected == nil || expected == state.epoch else { return nil }
      state.forwarding?.cancel()
      state.forwarding = nil
      state.epoch += 1
      state.tell(ActiveAccount(name: name, state: present))
      return state.epoch
    }
    guard let epoch, let rest = states else { return epoch }
    let forwarding = Task.detached { [weak self] in
      var rest = rest
      while let next = await rest.next() {
        guard let self, self.forward(ActiveAccount(name: name, state: next), epoch) else { return }
      }
    }
    state.withLock { state in
      if state.epoch == epoch { state.forwarding = forwarding } else { forwarding.cancel() }
    }
    return epoch
  }

  private func forward(_ account: ActiveAccount, _ epoch: Int) -> Bool {
    state.withLock { state in
      guard state.epoch == epoch else { return false }
      state.tell(account)
      return true
    }
  }

  /// One switch or removal after the other, so that what is stored and what is told agree.
  private func inTurn<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    let task = state.withLock { state in
      let before = state.turns
      let task = Task.detached {
        await before?.value
        return await body()
      }
      state.turns = Task.detached { _ = await task.value }
      return task
    }
    return await task.value
  }
}

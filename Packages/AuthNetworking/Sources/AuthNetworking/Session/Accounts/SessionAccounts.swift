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
/// let session = try await accounts.restoreActive() ?? accounts.activate(.random())
/// ```
///
/// Each account has a session, a store and a refresh lock of its own, and one
/// ``SessionController`` however often it is asked for; an answer that comes late lands in its own
/// account, whichever is active by then (R4). All members may be used from any task.
public final class SessionAccounts: Sendable {
  /// Makes the controller of an account.
  public typealias ControllerMaker =
    @Sendable (AccountName, AccountHome) -> SessionController

  private struct State {
    var controllers: [AccountName: Task<Result<SessionController, StorageError>, Never>] = [:]
    var active = ActiveAccount.none
    /// Counts switches, so that nothing of the account before comes after one.
    var epoch = 0
    var forwarding: Task<Void, Never>?
    var observers: [Int: AsyncStream<ActiveAccount>.Continuation] = [:]
    var observerCount = 0
    var turns: Task<Void, Never>?

    mutating func tell(_ account: ActiveAccount) {
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
      self?.state.withLock { state in _ = state.observers.removeValue(forKey: number) }
    }
    return stream
  }

  /// All accounts, by name; one whose store cannot be opened is among them, and says why.
  ///
  /// - Throws: ``AuthError`` of code `storage` where the place itself cannot be read.
  public func accounts() async throws(AuthError) -> [Account] {
    let (names, chosen): ([AccountName], AccountName?)
    do throws(StorageError) { (names, chosen) = (try homes.names(), try homes.active()) } catch {
      throw AuthError(error)
    }
    var accounts: [Account] = []
    for name in names {
      let record = await opened(name).flatMap { $0.readRecord() }
      accounts.append(Account(name, record, isActive: name == chosen))
    }
    return accounts
  }

  /// An account's session, made where there is none yet; always the same object.
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
    do throws(StorageError) { name = try homes.active() } catch { throw AuthError(error) }
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
  /// - Returns: what came of the sign-out.
  /// - Throws: ``AuthError`` of code `storage` where its files cannot be removed.
  @discardableResult
  public func remove(_ name: AccountName) async throws(AuthError) -> LogoutOutcome {
    let result = await inTurn { [self] () async -> Result<LogoutOutcome, StorageError> in
      // What cannot be opened cannot be revoked, and is removed all the same.
      let controller = try? await opened(name).get()
      let outcome = await controller?.logout() ?? LogoutOutcome(revoked: false)
      do throws(StorageError) {
        if try homes.active() == name { try await homes.setActive(nil) }
        if active.name == name { await switchTo(nil, nil) }
        state.withLock { _ = $0.controllers.removeValue(forKey: name) }
        try await homes.remove(name)
      } catch { return .failure(error) }
      return .success(outcome)
    }
    do throws(StorageError) { return try result.get() } catch { throw AuthError(error) }
  }

  private func opened(_ name: AccountName) async -> Result<SessionController, StorageError> {
    let task = state.withLock { state in
      if let task = state.controllers[name] { return task }
      let task = Task.detached { [homes, makeController] in
        do throws(StorageError) {
          return Result<SessionController, StorageError>.success(
            makeController(name, try await homes.open(name))
          )
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
    return result
  }

  private func switchTo(_ name: AccountName?, _ controller: SessionController?) async {
    var states = controller?.states().makeAsyncIterator()
    let present = await states?.next() ?? ActiveAccount.none.state
    let epoch = state.withLock { state in
      state.forwarding?.cancel()
      state.forwarding = nil
      state.epoch += 1
      state.tell(ActiveAccount(name: name, state: present))
      return state.epoch
    }
    guard let rest = states else { return }
    let forwarding = Task.detached { [weak self] in
      var rest = rest
      while let next = await rest.next() {
        guard let self, self.forward(ActiveAccount(name: name, state: next), epoch) else { return }
      }
    }
    state.withLock { state in
      if state.epoch == epoch { state.forwarding = forwarding } else { forwarding.cancel() }
    }
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

public import AuthNetworking
public import SecureStorage
internal import Synchronization

/// Accounts in memory; each object plays one process, ``sibling()`` another one.
public final class InMemoryAccountHomes: AccountHomes {
  private final class Place: Sendable {
    let state = Mutex(State())
  }

  private struct Session {
    let number: Int
    let storage: any SessionStorage
    let lock = InMemoryRefreshLock()
  }

  private struct State {
    var sessions: [AccountName: Session] = [:]
    var made = 0
    var active: AccountName?
    var failure: StorageError?
  }

  private let place: Place
  private let makeStorage: @Sendable () -> any SessionStorage

  /// No account yet.
  ///
  /// - Parameter makeStorage: makes an account's session slot, such as an `InMemorySessionStorage`.
  public init(makeStorage: @escaping @Sendable () -> any SessionStorage) {
    place = Place()
    self.makeStorage = makeStorage
  }

  private init(_ other: InMemoryAccountHomes) {
    place = other.place
    makeStorage = other.makeStorage
  }

  /// Another process on the same accounts.
  public func sibling() -> InMemoryAccountHomes { InMemoryAccountHomes(self) }

  /// From now on opening, choosing and removing throw this; nil lets them succeed again.
  public func fail(with error: StorageError?) { place.state.withLock { $0.failure = error } }

  /// The accounts.
  public func names() throws(StorageError) -> [AccountName] {
    place.state.withLock { $0.sessions.keys.sorted() }
  }

  /// An account's home.
  ///
  /// - Throws: what ``fail(with:)`` was given.
  public func open(_ name: AccountName) async throws(StorageError) -> AccountHome {
    let session = try place.state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      if let session = state.sessions[name] { return session }
      state.made += 1
      let session = Session(number: state.made, storage: makeStorage())
      state.sessions[name] = session
      return session
    }
    return AccountHome(storage: session.storage, lock: session.lock) { [place] in
      place.state.withLock { $0.sessions[name]?.number == session.number }
    }
  }

  /// Removes an account.
  ///
  /// - Throws: what ``fail(with:)`` was given.
  public func remove(_ name: AccountName) async throws(StorageError) {
    try place.state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      state.sessions[name] = nil
    }
  }

  /// The chosen one.
  public func active() throws(StorageError) -> AccountName? {
    place.state.withLock { state in state.active.flatMap { state.sessions[$0] == nil ? nil : $0 } }
  }

  /// Chooses an account.
  ///
  /// - Throws: what ``fail(with:)`` was given.
  public func setActive(_ name: AccountName?) async throws(StorageError) {
    try place.state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      state.active = name
    }
  }
}

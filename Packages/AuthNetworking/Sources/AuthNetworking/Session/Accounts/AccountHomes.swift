public import SecureStorage

/// What one account has for itself alone.
public struct AccountHome: Sendable {
  /// Where its session is stored.
  public var storage: any SessionStorage
  /// What keeps others from refreshing it at the same time.
  public var lock: any RefreshLock
  /// Whether it is still its account's: not once the account was removed, be it made anew since.
  public var isInPlace: @Sendable () async -> Bool

  /// A home from its parts; unless said otherwise, nobody else removes it.
  public init(
    storage: any SessionStorage,
    lock: any RefreshLock,
    isInPlace: @escaping @Sendable () async -> Bool = { true }
  ) {
    self.storage = storage
    self.lock = lock
    self.isInPlace = isInPlace
  }
}

/// Where the accounts of an install are kept, each apart from the others.
///
/// Several objects, in this or other processes, may speak for the same place.
public protocol AccountHomes: Sendable {
  /// The accounts that there are, in the order of their names; needs no key.
  ///
  /// - Throws: `StorageError` where the place cannot be read.
  func names() throws(StorageError) -> [AccountName]

  /// An account's home, made where there is none; the same session each time, and a new one where
  /// the account was removed in between, by whomever.
  ///
  /// - Throws: `StorageError`, as the store that it is in.
  func open(_ name: AccountName) async throws(StorageError) -> AccountHome

  /// Removes an account with all that is stored of it; needs no key.
  ///
  /// - Throws: `StorageError` where its files cannot be removed.
  func remove(_ name: AccountName) async throws(StorageError)

  /// The account that was chosen last; nil where none was, or it is gone.
  ///
  /// - Throws: `StorageError` where the place cannot be read.
  func active() throws(StorageError) -> AccountName?

  /// Chooses an account durably.
  ///
  /// - Throws: `StorageError`; the choice is the one before then.
  func setActive(_ name: AccountName?) async throws(StorageError)
}

internal import Dispatch

/// Calls a vault with its deadline: a daemon that hangs must not hang the app.
enum VaultCall {
  static func rootKey(of vault: any KeyVault) throws(StorageError) -> RootKey? {
    try run(vault) { () throws(StorageError) in try vault.rootKey() }
  }

  /// Opens something with the vault's key, and once more with a fresh one where the first was only
  /// remembered and out of date; nil where there is none.
  static func open<Result>(
    with vault: any KeyVault,
    _ body: (RootKey) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    guard let key = try rootKey(of: vault) else { return nil }
    do throws(StorageError) {
      return try body(key)
    } catch {
      guard error.code == .wrongKey, let vault = vault as? any ForgetfulVault,
        try run(vault, nil, nil, { vault.forgetCachedKey() })
      else { throw error }
    }
    return try rootKey(of: vault).map(body)
  }

  static func setRootKey(_ key: RootKey?, in vault: any KeyVault) throws(StorageError) {
    try run(vault) { () throws(StorageError) in try vault.setRootKey(key) }
  }

  /// The counter's value, or nil where there is none.
  static func counter(
    of vault: any CountingVault,
    within patience: Duration = .seconds(20),
    on queue: DispatchQueue? = nil
  ) throws(StorageError) -> UInt64? {
    try run(vault, min(patience, vault.patience), queue) { () throws(StorageError) in
      try vault.counter()
    }
  }

  static func count(
    _ vault: any CountingVault,
    within patience: Duration,
    on queue: DispatchQueue
  ) throws(StorageError) -> UInt64 {
    try run(vault, min(patience, vault.patience), queue) { () throws(StorageError) in
      try vault.count()
    }
  }

  private static func run<Result: Sendable>(
    _ vault: any KeyVault,
    _ patience: Duration? = nil,
    _ queue: DispatchQueue? = nil,
    _ call: @escaping @Sendable () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    // A thread is a good part of what opening a store takes.
    if vault.answersAtOnce { return try call() }
    let answer = Answer<Result>()
    let done = DispatchSemaphore(value: 0)
    // A queue of its own gets a thread of its own: the shared ones may all be busy, and a vault
    // must not look silent for that.
    (queue ?? DispatchQueue(label: "store.vault")).async {
      answer.take(call)
      done.signal()
    }
    let (seconds, attoseconds) = (patience ?? vault.patience).components
    let deadline = DispatchTime.now() + Double(seconds) + Double(attoseconds) * 1e-18
    guard done.wait(timeout: deadline) == .success else {
      throw .noAnswer(
        "The vault \(vault.name) did not answer in time",
        advice: "See whether it is running, and try again. Nothing was changed."
      )
    }
    return try answer.get()
  }
}

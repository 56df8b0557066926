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

  /// Has a vault keep a key, and sees that it does before anything is sealed with it alone.
  ///
  /// - Parameters:
  ///   - key: What to keep.
  ///   - vault: Which one.
  ///   - before: What it gets back where it does not keep the key; nil leaves it empty then.
  /// - Throws: `vaultUnavailable` where it does not, and what the vault throws.
  static func keep(
    _ key: RootKey,
    in vault: any KeyVault,
    insteadOf before: RootKey?
  ) throws(StorageError) {
    try setRootKey(key, in: vault)
    do throws(StorageError) {
      if let vault = vault as? any ForgetfulVault {
        _ = try run(vault, nil, nil, { vault.forgetCachedKey() })
      }
      guard let kept = try rootKey(of: vault), kept.isSame(as: key) else {
        throw StorageError(
          .vaultUnavailable,
          "The vault \(vault.name) did not keep the key that it was given",
          advice: "Use another vault. Nothing was changed."
        )
      }
    } catch {
      try? setRootKey(before, in: vault)
      throw error
    }
  }

  /// Sees whether a vault answers that is about to get a key; what it keeps so far does not matter.
  static func checkUsable(_ vault: any KeyVault) throws(StorageError) {
    do throws(StorageError) {
      // Nobody is asked for a passphrase that is about to be replaced.
      if let vault = vault as? any KeyPresenceVault {
        _ = try run(vault) { () throws(StorageError) in try vault.keepsKey() }
      } else {
        _ = try rootKey(of: vault)
      }
    } catch {
      guard error.code == .wrongKey || error.code == .keyLost else { throw error }
    }
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

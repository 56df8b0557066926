#if TPM2 && os(Linux)
internal import Synchronization

/// Keeps the root key sealed by a TPM 2.0, in a file that only this TPM can open.
///
/// The file is worth nothing on another machine, and a thief of the disk has nothing to guess at.
/// No measurement of the machine is asked for: an update of the firmware does not lose the key;
/// clearing the TPM does. The vault also counts, in the TPM's lasting memory, so a home that was
/// put back from a copy is noticed.
///
/// ```swift
/// let vault = TPM2Vault(
///   path: directory + "/store.tpm2",
///   tcti: TPM2Vault.tcti(in: ProcessInfo.processInfo.environment)
/// )
/// ```
public final class TPM2Vault: CountingVault {
  private static let handleAttempts = 16

  private let file: VaultFile
  private let tcti: String?
  private let random: RandomSource
  private let authorization = Mutex<Authorization?>(nil)

  /// What allows to use the counter of a tag; it lies beside the key under the seal.
  private struct Authorization {
    let tag: [UInt8]
    let value: LockedMemory
  }

  /// `tpm2`.
  public var name: VaultName { .tpm2 }

  /// How long the store waits for the TPM.
  public let patience: Duration

  /// A vault in a file and a TPM.
  ///
  /// - Parameters:
  ///   - path: The file; made with mode 0600 when the store is.
  ///   - tcti: Where the TPM is, in the words of tss2, as `swtpm:path=/run/swtpm.socket`; nil is
  ///     this machine's own.
  ///   - random: Where the counter's authorization comes from.
  ///   - patience: How long the store waits for the TPM.
  public init(
    path: String,
    tcti: String? = nil,
    random: RandomSource = .system,
    patience: Duration = .seconds(20)
  ) {
    file = VaultFile(path: path)
    self.tcti = tcti
    self.random = random
    self.patience = patience
  }

  /// Where an environment says that the TPM is, by `TSS2_TCTI` or else `TPM2TOOLS_TCTI`.
  ///
  /// - Parameter environment: The process's.
  /// - Returns: The words of tss2; nil where neither says anything.
  public static func tcti(in environment: [String: String]) -> String? {
    ["TSS2_TCTI", "TPM2TOOLS_TCTI"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  /// The key, unsealed; nil where there is no file, and a TPM that could make one.
  ///
  /// - Returns: The key.
  /// - Throws: `vaultUnavailable` where there is no TPM or it does not do what is needed,
  ///   `wrongKey` where another TPM sealed the key, `keyLost` where the file is damaged, `io`.
  public func rootKey() throws(StorageError) -> RootKey? {
    guard let stored = try stored() else {
      try TPM2Connection.run(tcti) { tpm throws(StorageError) in try checkUsable(tpm) }
      return nil
    }
    return try TPM2Connection.run(tcti) { tpm throws(StorageError) in
      try open(stored, tpm).withBytes { RootKey($0.prefix(RootKey.length)) }
    }
  }

  /// Seals a key and replaces the file, atomically and durably, with a counter where it has none;
  /// nil removes counter and file.
  ///
  /// - Parameter key: What to keep.
  /// - Throws: as ``rootKey()``; the file is as it was then.
  public func setRootKey(_ key: RootKey?) throws(StorageError) {
    guard let key else { return try forget() }
    try file.exclusively { () throws(StorageError) in try keep(key) }
  }

  /// The counter's value.
  ///
  /// - Returns: The value; nil where there is no counter, as after somebody removed it.
  /// - Throws: as ``rootKey()``.
  public func counter() throws(StorageError) -> UInt64? {
    guard let stored = try stored() else { return nil }
    return try TPM2Connection.run(tcti) { tpm throws(StorageError) in
      let authorization = try authorization(stored, tpm)
      return try authorization.withBytes { value throws(StorageError) in
        try tpm.value(of: stored.counter, authorization: value)
      }
    }
  }

  /// Counts up by one, durably.
  ///
  /// - Returns: The new value: a TPM counts on from the highest value that any counter of its
  ///   ever had, so it is above those of a counter that was removed, too.
  /// - Throws: as ``rootKey()``, and `keyLost` where there is no key.
  public func count() throws(StorageError) -> UInt64 {
    let counted = try count { stored, authorization, tpm throws(StorageError) in
      try tpm.count(stored.counter, authorization: authorization)
    }
    if let counted { return counted }
    return try file.exclusively { () throws(StorageError) in
      // Read anew: another process may have made one meanwhile, under another handle.
      try count { stored, authorization, tpm throws(StorageError) in
        if let counted = try tpm.count(stored.counter, authorization: authorization) {
          return counted
        }
        return try makeCounter(stored, authorization, tpm)
      }
    }
  }

  private func count<Result>(
    _ body: (TPM2File, UnsafeRawBufferPointer, TPM2Connection) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard let stored = try stored() else { throw .keyLost("There is no key file \(file.path)") }
    return try TPM2Connection.run(tcti) { tpm throws(StorageError) in
      let authorization = try authorization(stored, tpm)
      return try authorization.withBytes { value throws(StorageError) in
        try body(stored, value, tpm)
      }
    }
  }

  // MARK: The file

  private func stored() throws(StorageError) -> TPM2File? {
    guard let content = try file.read() else { return nil }
    return try TPM2File(content, path: file.path)
  }

  private func open(_ stored: TPM2File, _ tpm: TPM2Connection) throws(StorageError) -> LockedMemory
  {
    guard let parent = try tpm.parent(named: stored.parent) else {
      throw .wrongKey(
        "The key was sealed by another TPM than the one at \(tpm.address)",
        advice: "Use it on the machine that it was made on. Where that TPM was cleared, the key "
          + "is gone: `store reset` sets the store aside and starts an empty one."
      )
    }
    guard let secret = try tpm.unseal(stored.sealed, under: parent),
      secret.count == RootKey.length + TPM2Counter.authorizationLength
    else { throw .keyLost("The TPM does not take the key file \(file.path) for its own") }
    remember(secret, stored.counter.tag)
    return secret
  }

  private func keep(_ key: RootKey) throws(StorageError) {
    let before = try stored()
    try TPM2Connection.run(tcti) { tpm throws(StorageError) in
      let counter: TPM2Counter
      let authorization: LockedMemory
      if let before {
        (counter, authorization) = (before.counter, try self.authorization(before, tpm))
      } else {
        try checkUsable(tpm)
        counter = .random(tag: random.bytes(TPM2Counter.tagLength), from: random)
        authorization = LockedMemory(count: TPM2Counter.authorizationLength) { random.fill($0) }
      }
      let stored = try sealed(key, authorization, counter, tpm)
      try file.write(stored.encoded())
      guard before == nil else { return }
      do throws(StorageError) {
        _ = try authorization.withBytes { value throws(StorageError) in
          try makeCounter(stored, value, tpm)
        }
      } catch {
        if let made = try? self.stored() { try? tpm.undefine(made.counter) }
        try file.remove()
        throw error
      }
    }
  }

  private func sealed(
    _ key: RootKey,
    _ authorization: LockedMemory,
    _ counter: TPM2Counter,
    _ tpm: TPM2Connection
  ) throws(StorageError) -> TPM2File {
    let secret = LockedMemory(count: RootKey.length + authorization.count) { memory in
      key.withBytes { memory.copyMemory(from: $0) }
      authorization.withBytes { value in
        UnsafeMutableRawBufferPointer(rebasing: memory.dropFirst(RootKey.length))
          .copyMemory(from: value)
      }
    }
    let parent = try tpm.parent()
    let sealed = try secret.withBytes { secret throws(StorageError) in
      try tpm.seal(secret, under: parent)
    }
    remember(secret, counter.tag)
    return TPM2File(parent: parent.name, sealed: sealed, counter: counter)
  }

  private func forget() throws(StorageError) {
    guard let content = try file.read() else { return }
    // A damaged file names no counter: what is left of it can only be removed.
    if let stored = try? TPM2File(content, path: file.path) {
      try TPM2Connection.run(tcti) { tpm throws(StorageError) in try tpm.undefine(stored.counter) }
    }
    try file.remove()
  }

  // MARK: The counter

  /// Makes a counter for a file that has none, and counts.
  ///
  /// The file is written first each time: killed in between, it names a counter that is not there,
  /// and no index stays behind that nothing names.
  private func makeCounter(
    _ stored: TPM2File,
    _ authorization: UnsafeRawBufferPointer,
    _ tpm: TPM2Connection
  ) throws(StorageError) -> UInt64 {
    var stored = stored
    for _ in 0..<TPM2Vault.handleAttempts {
      _ = try tpm.define(stored.counter, authorization: authorization)
      if let value = try tpm.count(stored.counter, authorization: authorization) { return value }
      stored.counter = .random(tag: stored.counter.tag, from: random)
      try file.write(stored.encoded())
    }
    throw TPM2Step.unavailable(
      "The TPM at \(tpm.address) has no handle left for a counter",
      advice: "Use another vault."
    )
  }

  private func authorization(
    _ stored: TPM2File,
    _ tpm: TPM2Connection
  ) throws(StorageError) -> LockedMemory {
    let known = authorization.withLock { $0 }
    if let known, known.tag == stored.counter.tag { return known.value }
    let secret = try open(stored, tpm)
    return remember(secret, stored.counter.tag)
  }

  @discardableResult
  private func remember(_ secret: LockedMemory, _ tag: [UInt8]) -> LockedMemory {
    let value = secret.withBytes { bytes in
      LockedMemory(count: bytes.count - RootKey.length) {
        $0.copyMemory(from: .init(rebasing: bytes.dropFirst(RootKey.length)))
      }
    }
    authorization.withLock { $0 = Authorization(tag: tag, value: value) }
    return value
  }

  /// Throws where a first key could not be sealed or counted for.
  private func checkUsable(_ tpm: TPM2Connection) throws(StorageError) {
    guard try !tpm.hasOwnerPassword() else {
      throw TPM2Step.unavailable(
        "The owner hierarchy of the TPM at \(tpm.address) has a password",
        advice: "Take the password away (tpm2_changeauth), or use another vault."
      )
    }
    _ = try tpm.parent()
  }
}
#endif

internal import SessionModels

extension SecureStore {
  /// Opens the store in a directory, or makes an empty one.
  ///
  /// A second open of the same directory in a process, by whatever path, gives the same store.
  ///
  /// - Parameters:
  ///   - directory: The store's own: nothing else belongs in it but its vault's file. Made with
  ///     mode 0700 where it is missing.
  ///   - options: The defaults are right outside tests.
  ///   - vault: Where the root key is.
  /// - Returns: The store.
  /// - Throws: ``StorageError``: `otherVault` where the store was made with another one,
  ///   `wrongKey`, `keyLost`, `vaultLocked`, `vaultUnavailable`, `damaged`, `newerFormat`,
  ///   `cipherUnavailable`, `io`, `busy`. A key is never made while there is anything sealed.
  public static func open(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    vault: any KeyVault
  ) async throws(StorageError) -> SecureStore {
    try await open(at: directory, options: options) { _ in vault }
  }

  /// Opens the store in a directory with the vault that is chosen once it is known which one
  /// the store was made with.
  ///
  /// - Parameters:
  ///   - directory: As in ``open(at:options:vault:)``.
  ///   - options: The defaults are right outside tests.
  ///   - vault: Gets the name of the vault that the store was made with, or nil where there is
  ///     no store yet, and returns the one to use. It may throw, e.g. for a name that this build
  ///     does not know.
  /// - Returns: The store.
  /// - Throws: as ``open(at:options:vault:)``, and what `vault` throws.
  public static func open(
    at directory: String,
    options: StoreOptions = StoreOptions(),
    choosingVault vault: @escaping @Sendable (VaultName?) throws(StorageError) -> any KeyVault
  ) async throws(StorageError) -> SecureStore {
    try await OpenStores.opening.run { () throws(StorageError) in
      let asked = StoreFiles(directory: directory)
      if try POSIX.status(asked.directory) != nil,
        let store = OpenStores.store(try asked.identity()), !store.isClosed
      {
        return try store.reopened(vault)
      }
      if try ReadOnlyEngine.isNeeded(for: directory) {
        let engine = try ReadOnlyEngine(directory: directory)
        return try open(engine, notes: engine.notes, options, vault)
      }
      let engine = try SQLiteEngine(
        directory: directory,
        lockDeadline: options.lockDeadline,
        durability: options.durability
      )
      let store = try open(engine, notes: engine.notes, options, vault)
      OpenStores.add(store, try engine.files.identity())
      return store
    }
  }

  /// Opens a store on an engine of the caller's own, for tests.
  ///
  /// - Parameters:
  ///   - engine: Where the bytes are. Closed together with the store.
  ///   - options: The defaults are right outside tests.
  ///   - vault: Where the root key is.
  /// - Returns: The store.
  /// - Throws: as ``open(at:options:vault:)``.
  public static func open(
    engine: any StorageEngine,
    options: StoreOptions = StoreOptions(),
    vault: any KeyVault
  ) async throws(StorageError) -> SecureStore {
    try await open(engine: engine, options: options) { _ in vault }
  }

  /// Opens a store on an engine of the caller's own, with the vault that is chosen, for tests.
  ///
  /// - Parameters:
  ///   - engine: Where the bytes are. Closed together with the store.
  ///   - options: The defaults are right outside tests.
  ///   - vault: As in ``open(at:options:choosingVault:)``.
  /// - Returns: The store.
  /// - Throws: as ``open(at:options:choosingVault:)``.
  public static func open(
    engine: any StorageEngine,
    options: StoreOptions = StoreOptions(),
    choosingVault vault: @escaping @Sendable (VaultName?) throws(StorageError) -> any KeyVault
  ) async throws(StorageError) -> SecureStore {
    try await OpenStores.opening.run { () throws(StorageError) in
      try open(engine, notes: [], options, vault)
    }
  }

  private static func open(
    _ engine: any StorageEngine,
    notes: [StoreNote],
    _ options: StoreOptions,
    _ choose: @escaping VaultChooser
  ) throws(StorageError) -> SecureStore {
    let found = try KeyChange.outlasting(on: engine) { () throws(StorageError) in
      try look(engine, options, choose)
    }
    let store = SecureStore(
      engine: engine,
      unlocked: found.opened.unlocked,
      notes: notes + found.notes,
      options: options
    )
    if found.opened.isUnfinished {
      // A store that cannot be written now can be read; and the next open tries again.
      try? store.finishKeyChange()
    }
    if found.opened.isWiped || found.isUncounted { try store.settle() }
    return store
  }

  /// Makes the store where there is none, and fetches its key.
  private static func look(
    _ engine: any StorageEngine,
    _ options: StoreOptions,
    _ choose: @escaping VaultChooser
  ) throws(StorageError) -> Look {
    var notes: [StoreNote] = []
    let state = try engine.read { reader throws(StorageError) in
      Found(isInitialised: reader.isInitialised, vault: try recordedVault(reader))
    }
    let vault = try choose(state.vault)
    if !state.isInitialised {
      let wasLeftover = try engine.write { writer throws(StorageError) in
        try writer.isInitialised ? false : create(writer, vault, options)
      }
      if wasLeftover { notes.append(.leftoverKey(vault.name)) }
      if vault.name == .kernelKeyring { notes.append(.emptiedByReboot(vault.name)) }
    }
    let counter = try vault.counting.map { vault throws(StorageError) in
      try VaultCall.counter(of: vault)
    }
    var recorded = state.vault
    if recorded == nil {
      recorded = try engine.read { reader throws(StorageError) in try recordedVault(reader) }
    }
    try checkVault(recorded, vault)
    let opened = try unlock(engine, vault, options, choose)
    let opening = try counter.map { counter throws(StorageError) in
      try judge(opened.unlocked.anchor, counter)
    }
    if opening == .lost { notes.append(.counterLost(vault.name)) }
    let isUncounted = opening != .sound && opening != nil
    return Look(opened: opened, notes: notes, isUncounted: isUncounted)
  }

  // Types of their own: those of tuples are put together at run time, which takes a while.

  private struct Found {
    let isInitialised: Bool
    let vault: VaultName?
  }

  private struct Look {
    let opened: Opened
    let notes: [StoreNote]
    let isUncounted: Bool
  }

  private struct Opened {
    let unlocked: Unlocked
    /// Whether a process was killed while it changed or moved the root key.
    let isUnfinished: Bool
    /// Whether the session was wiped without the anchor knowing it.
    let isWiped: Bool
  }

  /// Does what the counter, or a wipe without a key, left to do.
  private func settle() throws(StorageError) {
    do throws(StorageError) {
      try anchorAnew()
    } catch {
      // A store that cannot be written now can be read; and the next commit makes up for it.
      if error.code == .tampered { throw error }
    }
  }

  /// Opens the keyset, and looks whether the session was wiped.
  private static func unlock(
    _ engine: any StorageEngine,
    _ vault: any KeyVault,
    _ options: StoreOptions,
    _ choose: @escaping VaultChooser
  ) throws(StorageError) -> Opened {
    // Outside the reading: a vault may take its time, and a reader keeps the log from being
    // emptied.
    let opened = try VaultCall.open(with: vault) { root throws(StorageError) in
      try engine.read { reader throws(StorageError) in
        let unlocked = try Unlocked(
          vault: vault,
          root: root,
          reader: reader,
          options: options,
          chooseVault: choose
        )
        let isUnfinished = try unlocked.isKeyChangeUnfinished(reader)
        let isNews = unlocked.anchor[.session] != nil
        let marks = isNews ? try reader.copies(.wipedMark(of: .session)) : []
        return Opened(
          unlocked: unlocked,
          isUnfinished: isUnfinished,
          isWiped: !marks.isEmpty
        )
      }
    }
    guard let opened else { throw .noKey(in: vault.name) }
    return opened
  }

  /// Makes keyset and lists in the transaction that makes the table: two first opens make one.
  ///
  /// - Returns: Whether the vault already held a key.
  private static func create(
    _ writer: any StorageWriter,
    _ vault: any KeyVault,
    _ options: StoreOptions
  ) throws(StorageError) -> Bool {
    // Asked before the vault gets a key for a store that cannot be made.
    try options.suite.check(options.cipher)
    let random = options.random
    let existing = try VaultCall.rootKey(of: vault)
    let root = existing ?? RootKey.random(from: random)
    // Kept before anything is sealed with it: the other way round, a crash would leave a store
    // without its key.
    if existing == nil { try VaultCall.setRootKey(root, in: vault) }
    let sealer = try Sealer(
      storeID: random.bytes(StoreFormat.storeIDLength),
      keyring: Keyring(cipher: options.cipher, random: random),
      suite: options.suite,
      random: random
    )
    try partCopies(writer)
    try writer.putTwice(.storeID, Checksummed.frame(sealer.storeID))
    try writer.putTwice(.vault, Checksummed.frame(Array(vault.name.rawValue.utf8)))
    let keyset = KeysetRow.seal(
      sealer.keyring,
      with: root,
      storeID: sealer.storeID,
      random: random
    )
    try writer.putTwice(.keyset, keyset)
    guard let tag = RowTag(ofRow: keyset) else { preconditionFailure("a row ends in its tag") }
    var anchor = Anchor(counter: try counterAfterCreation(vault), seals: 0, keyset: tag)
    for namespace in StoreNamespace.allCases {
      anchor[namespace] = try NamespaceView.create(namespace, writer, sealer)
    }
    anchor.seals = sealer.count.value + 1
    let sealed = sealer.seal(
      anchor.encoded(),
      as: .anchor,
      generation: writer.nextGeneration
    )
    try writer.putTwice(.anchor, sealed.bytes)
    return existing != nil
  }

  /// Has SQLite lay the second copies on another page than the first from the beginning, though
  /// all rows of a new store would fit on one.
  ///
  /// Left to itself it parts them once that page is full, in the middle, at a value as a rule: a row
  /// that parts two pages stands on a third one, above them, which each change of that value then
  /// writes, too. These rows fit on a page by fours. The fifth makes it part them, at the list of the
  /// last namespace, which is seldom changed; and all five are replaced in the same transaction.
  private static func partCopies(_ writer: any StorageWriter) throws(StorageError) {
    let placeholder = [UInt8](repeating: 0, count: 950)
    for namespace in StoreNamespace.allCases.suffix(4) {
      try writer.put(.manifest(of: namespace), placeholder)
    }
    try writer.put(RowName.anchor.copy, placeholder)
  }

  /// The number that opening the new store then has the vault count to.
  private static func counterAfterCreation(_ vault: any KeyVault) throws(StorageError) -> UInt64 {
    guard let vault = vault.counting else { return 0 }
    return try VaultCall.counter(of: vault).map { $0 + 1 } ?? 0
  }

  static func recordedVault(_ reader: any StorageReader) throws(StorageError) -> VaultName? {
    guard reader.isInitialised else { return nil }
    switch try reader.sound(.vault, { Checksummed.payload(of: $0) }) {
    case .sound(let name): return VaultName(rawValue: String(decoding: name, as: UTF8.self))
    case .bad: throw .damaged("The name of the store's vault is damaged")
    case .missing:
      // As a sign-out leaves a store whose database was gone.
      guard try reader.copies(.storeID).isEmpty, try reader.copies(.anchor).isEmpty else {
        throw .damaged("The name of the store's vault is missing")
      }
      throw StorageError(
        .tampered,
        "There is nothing of the store in its database any more",
        advice: "`store reset` sets it aside and starts an empty one."
      )
    }
  }

  private static func checkVault(
    _ recorded: VaultName?,
    _ vault: any KeyVault
  ) throws(StorageError) {
    guard let recorded else { throw .damaged("The store has vanished while it was opened") }
    guard recorded == vault.name else { throw .otherVault(recorded, wanted: vault.name) }
  }

  /// This store once more, for who can show its key.
  private func reopened(_ choose: @escaping VaultChooser) throws(StorageError) -> SecureStore {
    try KeyChange.outlasting(on: engine) { () throws(StorageError) in try checkKey(choose) }
    return self
  }

  private func checkKey(_ choose: @escaping VaultChooser) throws(StorageError) {
    let recorded = try engine.read { reader throws(StorageError) in
      try SecureStore.recordedVault(reader)
    }
    let vault = try choose(recorded)
    try SecureStore.checkVault(recorded, vault)
    let opened: Void? = try VaultCall.open(with: vault) { root throws(StorageError) in
      try engine.read { reader throws(StorageError) in
        _ = try Unlocked(
          vault: vault,
          root: root,
          reader: reader,
          options: options,
          chooseVault: choose
        )
      }
    }
    guard opened != nil else { throw .noKey(in: vault.name) }
  }
}

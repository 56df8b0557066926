internal import SessionModels

/// What can be proved of a damaged store with its root key, and a whole database made of it.
///
/// The newest authentic anchor says what the store held; all below it is proved by tags, so that
/// no old or foreign row gets in. A session stays only where nothing of it is missing and no
/// commit is: an older refresh token may have been spent (R2).
struct RecoveredStore {
  private let sealer: Sealer
  private let anchor: Anchor
  private let vault: VaultName
  private let keysets: (current: [UInt8], next: [UInt8]?)
  private let leftoverVaults: [UInt8]?
  private let namespaces: [RecoveredNamespace]
  private let mark: WipedMark?
  /// The number of the last commit that was found.
  let generation: UInt64
  /// As ``StoreRepair/lost``.
  let lost: [String]

  /// How many values are readable in the database that is made of it.
  var readable: Int { namespaces.reduce(0) { $0 + $1.entries.count } }

  /// The anchor's number, for the vault's counter to judge.
  var counter: UInt64 { anchor.counter }

  /// Looks through the rows.
  ///
  /// - Parameters:
  ///   - found: The rows that were found.
  ///   - root: The store's root key.
  ///   - vault: Where it is kept.
  ///   - durable: The generation that the store had reached.
  ///   - options: Ciphers and randomness.
  /// - Throws: `keyLost`, `wrongKey`, `damaged` where nothing can be proved, `newerFormat`,
  ///   `cipherUnavailable`.
  init(
    _ found: FoundRows,
    root: RootKey,
    vault: VaultName,
    durable: UInt64,
    options: StoreOptions
  ) throws(StorageError) {
    let head = try Head(found, root, options)
    self.vault = vault
    sealer = head.sealer
    keysets = (head.keyset, found.own(.nextKeyset).first { Checksummed.payload(of: $0) != nil })
    leftoverVaults = found.own(.leftoverVaults).first { LeftoverVaults(row: $0) != nil }
    let numbers = found.payloads(.generation).compactMap { payload in
      var reader = ByteReader(payload)
      return reader.number(UInt64.self).flatMap { $0 < 1 << 60 ? $0 : nil }
    }
    generation = max(numbers.max() ?? 0, head.generation)
    let isOlder = generation < durable
    var (namespaces, lost) = ([RecoveredNamespace](), [String]())
    for namespace in StoreNamespace.allCases {
      guard namespace != .session, let tag = head.anchor[namespace] else { continue }
      let one = try RecoveredNamespace(namespace, tag, found, head.sealer)
      lost += RecoveredStore.losses(of: one)
      namespaces.append(one)
    }
    let session = try RecoveredSession(found, head.anchor, head.sealer, isOlder, options.random)
    if session.isLost { lost.append("<session>") }
    if let kept = session.kept {
      lost += RecoveredStore.losses(of: kept)
      namespaces.append(kept)
    }
    if isOlder { lost.append("<changes after \(generation)>") }
    mark = session.mark
    anchor = head.anchor
    self.namespaces = namespaces
    self.lost = lost.sorted()
  }

  private static func losses(of one: RecoveredNamespace) -> [String] {
    let prefix = "<namespace \(one.namespace.rawValue)>"
    var lost = one.lost.map { one.namespace == .user ? $0.text : "\(prefix) \($0.text)" }
    if !one.isListWhole {
      lost.append("\(prefix): \(one.namelessCount) value\(one.namelessCount == 1 ? "" : "s")")
    }
    return lost
  }

  /// The bytes of a whole database.
  ///
  /// - Parameter generation: The number of the commit that it is.
  /// - Returns: What is to be written to the file.
  /// - Throws: `io` where there is no memory for it.
  func image(generation: UInt64) throws(StorageError) -> [UInt8] {
    let connection = try SQLiteConnection.inMemory(version: Int64(StoreFormat.version))
    defer { connection.close() }
    let before = Checksummed.frame((generation - 1).bigEndianBytes)
    for name in [RowName.generation, RowName.generation.copy] {
      try connection.run(.put, space: name.space, name: name.bytes, value: before)
    }
    let writer = try SQLiteSession(connection, path: "memory", durable: 0, last: generation - 1)
    try writer.putTwice(.storeID, Checksummed.frame(sealer.storeID))
    try writer.putTwice(.vault, Checksummed.frame(Array(vault.rawValue.utf8)))
    try writer.putTwice(.keyset, keysets.current)
    if let next = keysets.next { try writer.putTwice(.nextKeyset, next) }
    if let leftoverVaults { try writer.putTwice(.leftoverVaults, leftoverVaults) }
    var anchor = anchor
    for one in namespaces {
      for row in one.rows { try writer.put(row.name, row.bytes) }
      anchor[one.namespace] = try NamespaceView.remake(
        one.namespace,
        with: one.entries,
        writer,
        sealer
      )
    }
    if let mark {
      try writer.putTwice(.wipedMark(of: .session), mark.framed())
      anchor[.session] = nil
    }
    anchor.seals += sealer.count.value + 1
    let sealed = sealer.seal(anchor.encoded(), as: .anchor, generation: generation)
    try writer.putTwice(.anchor, sealed.bytes)
    try writer.putGeneration()
    return try connection.finishedImage()
  }
}

/// The newest anchor, and the keyset that it names.
private struct Head {
  let sealer: Sealer
  let anchor: Anchor
  let generation: UInt64
  let keyset: [UInt8]

  init(_ found: FoundRows, _ root: RootKey, _ options: StoreOptions) throws(StorageError) {
    let ids = Set(found.payloads(.storeID).filter { $0.count == StoreFormat.storeIDLength })
    guard !ids.isEmpty else { throw .beyondRepair("its id is missing") }
    var failure = StorageError.keyLost("The store's keyset is missing or damaged")
    var best: Head?
    for id in ids {
      for row in Set(found.own(.keyset)) where Checksummed.payload(of: row) != nil {
        do throws(StorageError) {
          let sealer = try Sealer(
            storeID: id,
            keyring: try Head.keyring(row, found, root, id),
            suite: options.suite,
            random: options.random
          )
          guard let head = try Head(row, found, sealer) else {
            failure = .beyondRepair("its anchor is missing")
            continue
          }
          if best.map({ $0.generation < head.generation }) ?? true { best = head }
        } catch {
          failure = error
        }
      }
    }
    guard let best else { throw failure }
    self = best
  }

  /// The newest anchor that names a keyset's row; nil where there is none.
  private init?(
    _ keyset: [UInt8],
    _ found: FoundRows,
    _ sealer: Sealer
  ) throws(StorageError) {
    var best: (anchor: Anchor, generation: UInt64)?
    for row in found.own(.anchor) {
      guard let opened = sealer.open(row, as: .anchor) else { continue }
      let anchor = try Anchor(encoded: opened.plaintext)
      guard anchor.keyset == RowTag(ofRow: keyset) else { continue }
      if best.map({ $0.generation < opened.generation }) ?? true {
        best = (anchor, opened.generation)
      }
    }
    guard let best else { return nil }
    self.sealer = sealer
    (anchor, generation, self.keyset) = (best.anchor, best.generation, keyset)
  }

  /// What a keyset's row holds, or the one beside it that a change of the root key prepared.
  private static func keyring(
    _ row: [UInt8],
    _ found: FoundRows,
    _ root: RootKey,
    _ id: [UInt8]
  ) throws(StorageError) -> Keyring {
    do throws(StorageError) {
      return try KeysetRow.open(row, with: root, storeID: id)
    } catch {
      guard error.code == .wrongKey else { throw error }
      for next in found.own(.nextKeyset) {
        if let keyring = try? KeysetRow.open(next, with: root, storeID: id) { return keyring }
      }
      throw error
    }
  }
}

/// What becomes of the session of a damaged store.
private struct RecoveredSession {
  private(set) var kept: RecoveredNamespace?
  private(set) var mark: WipedMark?
  private(set) var isLost = false

  init(
    _ found: FoundRows,
    _ anchor: Anchor,
    _ sealer: Sealer,
    _ isOlder: Bool,
    _ random: RandomSource
  ) throws(StorageError) {
    let marks = found.own(.wipedMark(of: .session)).compactMap { WipedMark(framed: $0) }
    let session = try anchor[.session].map { tag throws(StorageError) in
      try RecoveredNamespace(.session, tag, found, sealer)
    }
    // A sign-out wins, even over a list that is there: one of the two is older (R4). The values
    // beside the session are not worth a sign-in.
    if let session, session.isWhole(but: SessionValues.isName), marks.isEmpty, !isOlder {
      kept = session
      return
    }
    // Without the key a sign-out removes the list, and cannot say so in the anchor.
    isLost = session.map { !$0.entries.isEmpty || (!$0.isWhole && marks.isEmpty) } ?? false
    mark = marks.first ?? WipedMark(reason: .tampered, sessionGeneration: random.nonZero())
  }
}

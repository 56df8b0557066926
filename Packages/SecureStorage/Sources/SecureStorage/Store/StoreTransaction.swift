public import SessionModels

/// Reads and changes that become durable together, or not at all.
///
/// It sees its own changes and, for as long as it lasts, those of nobody else.
public struct StoreTransaction {
  let writer: any StorageWriter
  /// What this transaction knows of the lists.
  private var views = NamespaceViews()
  /// What an earlier transaction knew, to be brought up to date when it is needed.
  private var earlier: NamespaceViews
  var unlocked: Unlocked
  var changed: Set<StoreNamespace> = []
  /// What the commit will have as its anchor; its number is set last.
  var anchor: Anchor
  /// Whether an anchor is written though nothing else is.
  var mustAnchor = false
  /// Whether the vault is to count at once, whatever was changed.
  var isUrgent = false
  /// Whether what was changed of the session's namespace is not the session itself: an old copy of
  /// it is a nuisance, an old session is a spent token.
  var changesSessionValuesOnly = false

  init(
    _ writer: any StorageWriter,
    _ unlocked: Unlocked,
    views: NamespaceViews = NamespaceViews(),
    askingVault: Bool = true
  ) throws(StorageError) {
    self.writer = writer
    earlier = views
    self.unlocked = unlocked
    try self.unlocked.refresh(writer, askingVault: askingVault, following: false)
    anchor = self.unlocked.anchor
  }

  /// The value of a key, or nil where there is none.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Returns: The value.
  /// - Throws: ``StorageError``: `damaged` or `tampered`, never nil for what has vanished.
  public mutating func secret(
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) -> Secret? {
    let name = try KeyName(validating: key)
    let row = unlocked.sealer.keyring.knownRowName(name, in: namespace)
    return try withView(of: namespace) { view, writer, sealer throws(StorageError) in
      guard let entry = try view.entry(name, row, writer, sealer) else {
        try view.checkAbsence(name, row, writer)
        return nil
      }
      return try view.value(name, row, entry, writer, sealer).secret
    }
  }

  /// The text of a key, or nil where there is none.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Returns: The value as UTF-8; bytes that are not UTF-8 are repaired.
  /// - Throws: as ``secret(forKey:in:)``.
  public mutating func string(
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) -> String? {
    try secret(forKey: key, in: namespace)?.reveal()
  }

  /// Every key of a namespace, sorted by their bytes.
  ///
  /// - Parameter namespace: Where.
  /// - Returns: The keys.
  /// - Throws: ``StorageError``.
  public mutating func keys(in namespace: StoreNamespace = .user) throws(StorageError) -> [String] {
    try withView(of: namespace) { view, writer, sealer throws(StorageError) in
      try view.entries(writer, sealer).keys.sortedTexts
    }
  }

  /// Sets a value.
  ///
  /// - Parameters:
  ///   - value: At most ``StoreLimits/valueBytes``.
  ///   - key: 1 to ``StoreLimits/keyBytes`` bytes of UTF-8 without NUL.
  ///   - namespace: Where.
  /// - Throws: `invalidInput` beyond the limits, and other ``StorageError``s.
  public mutating func set(
    _ value: Secret,
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) {
    let name = try KeyName(validating: key)
    guard value.count <= StoreLimits.valueBytes else {
      throw .invalidInput(
        "The value has \(value.count) bytes",
        advice: "At most \(StoreLimits.valueBytes) are allowed."
      )
    }
    let row = unlocked.sealer.keyring.knownRowName(name, in: namespace)
    try withView(of: namespace) { view, writer, sealer throws(StorageError) in
      try view.put(value, name, row, writer, sealer)
    }
    changed.insert(namespace)
  }

  /// Sets a text.
  ///
  /// - Parameters:
  ///   - text: Kept as UTF-8.
  ///   - key: 1 to ``StoreLimits/keyBytes`` bytes of UTF-8 without NUL.
  ///   - namespace: Where.
  /// - Throws: as setting bytes.
  public mutating func set(
    _ text: String,
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) {
    try set(Secret(text), forKey: key, in: namespace)
  }

  /// Removes a value, a damaged one too; a key that is not there is fine.
  ///
  /// What it was stored in is overwritten after the commit; where nothing is there, what an earlier
  /// removal that was cut short has left.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Throws: ``StorageError``.
  public mutating func remove(
    _ key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) {
    let name = try KeyName(validating: key)
    let row = unlocked.sealer.keyring.knownRowName(name, in: namespace)
    let didRemove = try withView(of: namespace) { view, writer, sealer throws(StorageError) in
      let isListed = try view.entry(name, row, writer, sealer) != nil
      if !isListed, try writer.row(row) == nil { return false }
      try writer.remove(row)
      if isListed { try view.set(name, row, to: nil, writer, sealer) }
      return true
    }
    guard didRemove else { return writer.finishPurge() }
    writer.purgeAfterCommit()
    changed.insert(namespace)
  }
}

extension StoreTransaction {
  /// Lends the view of a namespace, read where it was not yet.
  mutating func withView<Result>(
    of namespace: StoreNamespace,
    _ body: (inout NamespaceView, any StorageWriter, Sealer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    var view: NamespaceView
    // Taken out while it is changed, so that its pages are not copied.
    if let known = views.take(namespace) {
      view = known
    } else {
      view = earlier.take(namespace) ?? NamespaceView(namespace)
      try view.refresh(writer, unlocked)
    }
    defer { views.put(view) }
    return try body(&view, writer, unlocked.sealer)
  }

  /// Drops what is known of the lists, where rows were written past it.
  mutating func forgetViews() { views = NamespaceViews() }

  /// The mark of a namespace that was wiped and not written since.
  mutating func wipedMark(of namespace: StoreNamespace) throws(StorageError) -> WipedMark? {
    try withView(of: namespace) { view, _, _ throws(StorageError) in view.wiped }
  }

  /// Has the anchor name no list for a session that was wiped, so that none is put back.
  mutating func anchorWipe() throws(StorageError) {
    guard try wipedMark(of: .session) != nil else { return }
    anchor[.session] = nil
  }

  /// Sees to it that replaced bytes are gone from every file after the commit.
  func purge() { writer.purgeAfterCommit() }

  /// Seals the lists of what changed, and the anchor that names them; the last thing before the
  /// commit.
  ///
  /// - Throws: `tampered` where the store is older than its vault's counter.
  mutating func finish(_ rollback: RollbackGuard) throws(StorageError) {
    if !changed.isEmpty, unlocked.keyIsWorn(after: anchor.seals) { try rotateKey() }
    for namespace in views.namespaces {
      let tag = try withView(of: namespace) { view, writer, sealer throws(StorageError) in
        try view.write(writer, sealer)
        return view.tag
      }
      if let tag { anchor[namespace] = tag }
    }
    try putAnchor(rollback)
  }

  /// What the next transaction may begin with.
  var remaining: NamespaceViews { earlier.merged(with: views) }

  private mutating func putAnchor(_ rollback: RollbackGuard) throws(StorageError) {
    let before = unlocked.anchor
    guard anchor != before || mustAnchor else { return }
    let vault = unlocked.vault.counting
    if let vault {
      anchor.counter = try rollback.number(
        on: anchor.counter,
        tag: unlocked.anchorTag,
        isUrgent: isUrgent || anchor.keyset != before.keyset
          || (anchor[.session] != before[.session] && !changesSessionValuesOnly),
        vault,
        writer
      )
    }
    let generation = writer.nextGeneration
    let count = unlocked.sealer.count
    let seals = count.value + 1
    anchor.seals += seals
    let sealed = unlocked.sealer.seal(anchor.encoded(), as: .anchor, generation: generation)
    try writer.putTwice(.anchor, sealed.bytes)
    writer.afterCommit { _ in count.recorded(seals) }
    unlocked.adopt(anchor, sealed.tag, generation: generation)
    if let vault { writer.afterCommit { rollback.committed(sealed.tag, vault, $0) } }
  }
}

extension Collection<KeyName> {
  /// The names as text, in the order of their bytes.
  var sortedTexts: [String] {
    map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

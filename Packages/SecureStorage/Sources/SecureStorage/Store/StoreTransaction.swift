public import SessionModels

/// Reads and changes that become durable together, or not at all.
///
/// It sees its own changes and, for as long as it lasts, those of nobody else.
public struct StoreTransaction {
  let writer: any StorageWriter
  private var views: [StoreNamespace: NamespaceView] = [:]
  var unlocked: Unlocked
  var changed: Set<StoreNamespace> = []

  init(_ writer: any StorageWriter, _ unlocked: Unlocked) throws(StorageError) {
    self.writer = writer
    self.unlocked = unlocked
    try self.unlocked.refresh(writer)
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
    let row = unlocked.sealer.keyring.rowName(name, in: namespace)
    return try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
      guard let entry = try view.entry(name, row, writer, &unlocked) else {
        try view.checkAbsence(name, row, writer)
        return nil
      }
      return try view.value(name, row, entry, writer, &unlocked)
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
    try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
      try view.entries(writer, &unlocked).keys.sortedTexts
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
    let row = unlocked.sealer.keyring.rowName(name, in: namespace)
    try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
      try view.put(value, name, row, writer, &unlocked)
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
  /// What it was stored in is overwritten after the commit.
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
    let row = unlocked.sealer.keyring.rowName(name, in: namespace)
    let didRemove = try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
      let isListed = try view.entry(name, row, writer, &unlocked) != nil
      if !isListed, try writer.row(row) == nil { return false }
      try writer.remove(row)
      if isListed { try view.set(name, row, to: nil, writer, &unlocked) }
      return true
    }
    guard didRemove else { return }
    writer.purgeAfterCommit(thoroughly: false)
    changed.insert(namespace)
  }
}

extension StoreTransaction {
  /// Lends the view of a namespace, read where it was not yet.
  mutating func withView<Result>(
    of namespace: StoreNamespace,
    _ body: (inout NamespaceView, any StorageWriter, inout Unlocked) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    var view: NamespaceView
    if let known = views[namespace] {
      view = known
    } else {
      view = NamespaceView(namespace)
      try view.refresh(writer, &unlocked)
    }
    // Taken out while it is changed, so that its pages are not copied.
    views[namespace] = nil
    defer { views[namespace] = view }
    return try body(&view, writer, &unlocked)
  }

  /// The mark of a namespace that was wiped and not written since.
  mutating func wipedMark(of namespace: StoreNamespace) throws(StorageError) -> WipedMark? {
    try withView(of: namespace) { view, _, _ throws(StorageError) in view.wiped }
  }

  /// Sees to it that replaced bytes are gone from every file after the commit.
  func purge() { writer.purgeAfterCommit(thoroughly: true) }

  /// Seals the manifests of what changed; the last thing before the commit.
  mutating func finish() throws(StorageError) {
    for namespace in Array(views.keys) {
      try withView(of: namespace) { view, writer, unlocked throws(StorageError) in
        try view.write(writer, &unlocked)
      }
    }
  }
}

extension Collection<KeyName> {
  /// The names as text, in the order of their bytes.
  var sortedTexts: [String] {
    map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

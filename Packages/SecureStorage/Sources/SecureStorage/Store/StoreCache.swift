internal import SessionModels

/// The opened values and lists of a store, valid while the engine's stamp stands still.
///
/// Filled by reads, one value at a time: opening a store scans nothing.
struct StoreCache {
  private(set) var unlocked: Unlocked
  /// By the namespace's number; 0 is not used.
  private var views: [NamespaceView]
  private var values: [KeyTable<CachedValue>]

  private let mode: ReadMode

  private struct CachedValue {
    let content: Content
    let entry: Manifest.Entry
    /// The stamp that the value is known to be the last one for.
    var stamp: UInt64
  }

  private enum Content {
    case opened(Secret)
    /// The row, as it is on disk.
    case sealed([UInt8])
  }

  /// What one read saw.
  struct Reading {
    var secret: Secret?
    var wiped: WipedMark?
    var generation: UInt64
    /// While the engine's stamp is this one and settled, the reading is the last word.
    var stamp: UInt64
  }

  init(_ unlocked: Unlocked, _ mode: ReadMode) {
    self.unlocked = unlocked
    self.mode = mode
    views = StoreNamespace.allCases.map { NamespaceView($0) }
    views.insert(NamespaceView(.user), at: 0)
    values = Array(repeating: KeyTable(), count: views.count)
  }

  /// The value from memory, where it is still the last one.
  func hit(_ name: KeyName, _ namespace: StoreNamespace, _ stamp: UInt64) -> Secret? {
    guard let hit = values[Int(namespace.rawValue)][name], hit.stamp == stamp,
      stamp.isMultiple(of: 2)
    else { return nil }
    return open(hit, name, namespace)
  }

  /// The value itself; nil only where a keyring without its key has come since.
  private func open(
    _ value: CachedValue,
    _ name: KeyName,
    _ namespace: StoreNamespace
  ) -> Secret? {
    switch value.content {
    case .opened(let secret): return secret
    case .sealed(let row):
      guard var opened = unlocked.sealer.open(row, as: .value(name, in: namespace)) else {
        return nil
      }
      defer { opened.wipe() }
      return ValueContent.value(in: opened.plaintext, of: name)
    }
  }

  /// Reads the last committed value.
  mutating func read(
    _ name: KeyName,
    _ namespace: StoreNamespace,
    _ engine: any StorageEngine
  ) throws(StorageError) -> Reading {
    let index = Int(namespace.rawValue)
    // Taken before the state is read: a commit in between makes the reading look stale, which
    // costs another read; the other way round it would look fresh.
    let stamp = engine.stamp
    return try engine.readOutlastingKeyChanges { reader throws(StorageError) in
      try unlocked.refresh(reader)
      try views[index].refresh(reader, unlocked)
      let row = unlocked.sealer.keyring.knownRowName(name, in: namespace)
      var reading = Reading(
        secret: nil,
        wiped: views[index].wiped,
        generation: reader.generation,
        stamp: stamp
      )
      guard let entry = try views[index].entry(name, row, reader, unlocked.sealer) else {
        values[index][name] = nil
        try views[index].checkAbsence(name, row, reader)
        return reading
      }
      if let known = values[index][name], known.entry == entry,
        let secret = open(known, name, namespace)
      {
        values[index][name]?.stamp = stamp
        reading.secret = secret
        return reading
      }
      values[index][name] = nil
      let (secret, bytes) = try views[index].value(name, row, entry, reader, unlocked.sealer)
      let content = mode == .cached ? Content.opened(secret) : .sealed(bytes)
      values[index][name] = CachedValue(content: content, entry: entry, stamp: stamp)
      reading.secret = secret
      return reading
    }
  }

  /// Every key of a namespace.
  mutating func keys(
    in namespace: StoreNamespace,
    _ engine: any StorageEngine
  ) throws(StorageError) -> [String] {
    try engine.readOutlastingKeyChanges { reader throws(StorageError) in
      try unlocked.refresh(reader)
      try views[Int(namespace.rawValue)].refresh(reader, unlocked)
      return try views[Int(namespace.rawValue)].entries(reader, unlocked.sealer).keys.sortedTexts
    }
  }

  /// How many entries a namespace has.
  mutating func count(
    in namespace: StoreNamespace,
    _ engine: any StorageEngine
  ) throws(StorageError) -> Int {
    try engine.readOutlastingKeyChanges { reader throws(StorageError) in
      try unlocked.refresh(reader)
      try views[Int(namespace.rawValue)].refresh(reader, unlocked)
      return views[Int(namespace.rawValue)].count
    }
  }

  /// Takes in what other processes have changed of the key, and where it is kept.
  mutating func refresh(_ engine: any StorageEngine) throws(StorageError) {
    try engine.readOutlastingKeyChanges { reader throws(StorageError) in
      try unlocked.refresh(reader)
    }
  }

  /// Takes over a newer keyring, as a change of key makes one.
  mutating func adopt(_ unlocked: Unlocked) { self.unlocked = unlocked }

  /// Drops every opened value of a namespace; what nobody else holds is overwritten.
  mutating func drop(_ namespace: StoreNamespace) { values[Int(namespace.rawValue)] = KeyTable() }

  mutating func dropAll() {
    for namespace in StoreNamespace.allCases { drop(namespace) }
  }
}

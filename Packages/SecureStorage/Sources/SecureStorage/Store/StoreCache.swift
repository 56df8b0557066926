internal import SessionModels

/// The opened values and lists of a store, valid while the engine's stamp stands still.
///
/// Filled by reads, one value at a time: opening a store scans nothing.
struct StoreCache {
  private(set) var unlocked: Unlocked
  /// By the namespace's number; 0 is not used.
  private var views: [NamespaceView]
  private var values: [[KeyName: CachedValue]]

  private struct CachedValue {
    let secret: Secret
    let entry: Manifest.Entry
    /// The stamp that the value is known to be the last one for.
    var stamp: UInt64
  }

  /// What one read saw.
  struct Reading {
    var secret: Secret?
    var wiped: WipedMark?
    var generation: UInt64
    /// While the engine's stamp is this one and settled, the reading is the last word.
    var stamp: UInt64
  }

  init(_ unlocked: Unlocked) {
    self.unlocked = unlocked
    views = StoreNamespace.allCases.map { NamespaceView($0) }
    views.insert(NamespaceView(.user), at: 0)
    values = Array(repeating: [:], count: views.count)
  }

  /// The value from memory, where it is still the last one.
  func hit(_ name: KeyName, _ namespace: StoreNamespace, _ stamp: UInt64) -> Secret? {
    guard let hit = values[Int(namespace.rawValue)][name], hit.stamp == stamp,
      stamp.isMultiple(of: 2)
    else { return nil }
    return hit.secret
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
    return try engine.read { reader throws(StorageError) in
      try unlocked.refresh(reader)
      try views[index].refresh(reader, unlocked)
      let row = unlocked.sealer.keyring.rowName(name, in: namespace)
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
      if let known = values[index][name], known.entry == entry {
        values[index][name]?.stamp = stamp
        reading.secret = known.secret
        return reading
      }
      values[index][name] = nil
      let secret = try views[index].value(name, row, entry, reader, unlocked.sealer)
      values[index][name] = CachedValue(secret: secret, entry: entry, stamp: stamp)
      reading.secret = secret
      return reading
    }
  }

  /// Every key of a namespace.
  mutating func keys(
    in namespace: StoreNamespace,
    _ engine: any StorageEngine
  ) throws(StorageError) -> [String] {
    try engine.read { reader throws(StorageError) in
      try unlocked.refresh(reader)
      try views[Int(namespace.rawValue)].refresh(reader, unlocked)
      return try views[Int(namespace.rawValue)].entries(reader, unlocked.sealer).keys.sortedTexts
    }
  }

  /// Takes over a newer keyring, as a change of key makes one.
  mutating func adopt(_ unlocked: Unlocked) { self.unlocked = unlocked }

  /// Drops every opened value of a namespace; what nobody else holds is overwritten.
  mutating func drop(_ namespace: StoreNamespace) { values[Int(namespace.rawValue)] = [:] }

  mutating func dropAll() {
    for namespace in StoreNamespace.allCases { drop(namespace) }
  }
}

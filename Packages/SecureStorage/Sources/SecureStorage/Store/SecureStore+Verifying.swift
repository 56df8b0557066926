internal import Synchronization

extension SecureStore {
  /// Opens every value and names what is damaged; changes nothing.
  ///
  /// - Parameters:
  ///   - namespaces: Which ones; all of them unless said otherwise.
  ///   - progress: Called now and then, on a thread of the store's.
  /// - Returns: How many values are sound, and the keys of the others.
  /// - Throws: `io`, `busy`, `misuse`, `vaultUnavailable`; damage is in the answer.
  public func verify(
    _ namespaces: [StoreNamespace] = StoreNamespace.allCases,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws(StorageError) -> StoreVerification {
    try await BlockingQueue(label: "store.verify").run { () throws(StorageError) in
      try self.checkUsable()
      var verifier = Verifier(self.engine, self.cache.withLock { $0.unlocked }, progress)
      return try verifier.verify(namespaces)
    }
  }
}

/// One run of ``SecureStore/verify(_:progress:)``, a batch at a time, so that reads go on.
private struct Verifier {
  private static let batch = 100

  private let engine: any StorageEngine
  private let progress: @Sendable (StoreProgress) -> Void
  private var unlocked: Unlocked
  private var verified = 0
  private var damaged: [String] = []

  init(
    _ engine: any StorageEngine,
    _ unlocked: Unlocked,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) {
    self.engine = engine
    self.unlocked = unlocked
    self.progress = progress
  }

  mutating func verify(
    _ namespaces: [StoreNamespace]
  ) throws(StorageError) -> StoreVerification {
    try verifyStructure()
    try verifyOwnRows()
    try verifyPlaces()
    var names: [(StoreNamespace, [KeyName])] = []
    for namespace in namespaces { names.append((namespace, try list(namespace))) }
    let total = names.reduce(0) { $0 + $1.1.count }
    var done = 0
    for (namespace, names) in names {
      for start in stride(from: 0, to: names.count, by: Verifier.batch) {
        let batch = names[start..<min(start + Verifier.batch, names.count)]
        try verify(batch, in: namespace)
        done += batch.count
        progress(StoreProgress(done: done, total: total))
      }
    }
    // What is found in two ways is one thing.
    return StoreVerification(verified: verified, damaged: Set(damaged).sorted())
  }

  /// What keeps a store from being written to may spoil no value yet.
  private mutating func verifyStructure() throws(StorageError) {
    do throws(StorageError) {
      try engine.read { reader throws(StorageError) in try reader.checkStructure() }
    } catch {
      try note(error, "<structure of the file>")
    }
  }

  /// The rows of the store itself; those that cannot do without are read to be here at all.
  private mutating func verifyOwnRows() throws(StorageError) {
    let rows: [(RowName, String)] = [
      (.storeID, "<store id>"), (.vault, "<vault name>"), (.generation, "<generation>"),
      (.keyset, "<keyset>"), (.nextKeyset, "<next keyset>"), (.leftoverVaults, "<vaults left>"),
      (.anchor, "<anchor>"), (.wipedMark(of: .session), "<sign-out mark>"),
    ]
    do throws(StorageError) {
      damaged += try engine.read { reader throws(StorageError) in
        var damaged: [String] = []
        for (row, what) in rows where try !reader.isWhole(row) {
          // Not every engine keeps a generation in a row, and there is seldom a next keyset.
          if try !reader.copies(row).isEmpty { damaged.append(what) }
        }
        for mark in try reader.copies(.wipedMark(of: .session)) where WipedMark(framed: mark) == nil
        {
          damaged.append("<sign-out mark>")
        }
        return damaged
      }
    } catch {
      try note(error, "<store>")
    }
  }

  /// Rows where this format has none: nothing reads them, and they were put there from outside.
  ///
  /// Those of the namespaces are looked at together with their lists.
  private mutating func verifyPlaces() throws(StorageError) {
    do throws(StorageError) {
      damaged += try engine.read { reader throws(StorageError) in
        var strange: [String] = []
        for space in UInt8.min...UInt8.max where StoreNamespace(rawValue: space) == nil {
          for name in try reader.names(in: space) where !name.isKnown {
            strange.append("<row \(name.hexPrefix) of space \(space)>")
          }
        }
        return strange
      }
    } catch {
      try note(error, "<store>")
    }
  }

  /// The listed names.
  private mutating func list(_ namespace: StoreNamespace) throws(StorageError) -> [KeyName] {
    var names: [KeyName] = []
    do throws(StorageError) {
      try engine.readOutlastingKeyChanges { reader throws(StorageError) in
        try unlocked.refresh(reader)
        var view = NamespaceView(namespace)
        try view.refresh(reader, unlocked)
        names = Array(try view.entries(reader, unlocked.sealer).keys)
        damaged += try view.damagedCopies(reader, unlocked.sealer)
        damaged += try unlisted(names, &view, reader)
      }
    } catch {
      // What is listed can be named one by one, also where a page of the file is beyond reading.
      try note(error, "<namespace \(namespace.rawValue)>")
    }
    return names
  }

  /// Rows that no list names are damage.
  private func unlisted(
    _ names: [KeyName],
    _ view: inout NamespaceView,
    _ reader: any StorageReader
  ) throws(StorageError) -> [String] {
    let (namespace, keyring) = (view.namespace, unlocked.sealer.keyring)
    let known = Set(names.map { keyring.rowName($0, in: namespace) })
    var unlisted: [String] = []
    for name in try reader.names(in: namespace.rawValue) {
      if name.isKnown {
        let isValue = name.bytes.count == Keyring.rowNameLength
        if isValue ? known.contains(name) : try view.lists(name, reader, unlocked.sealer) {
          continue
        }
      }
      unlisted.append("<row \(name.hexPrefix)>")
    }
    return unlisted
  }

  private mutating func verify(
    _ names: ArraySlice<KeyName>,
    in namespace: StoreNamespace
  ) throws(StorageError) {
    do throws(StorageError) {
      try engine.readOutlastingKeyChanges { reader throws(StorageError) in
        try unlocked.refresh(reader)
        var view = NamespaceView(namespace)
        try view.refresh(reader, unlocked)
        for name in names { try verify(name, &view, reader) }
      }
    } catch {
      try note(error, "<namespace \(namespace.rawValue)>")
    }
  }

  private mutating func verify(
    _ name: KeyName,
    _ view: inout NamespaceView,
    _ reader: any StorageReader
  ) throws(StorageError) {
    let row = unlocked.sealer.keyring.rowName(name, in: view.namespace)
    do throws(StorageError) {
      // One that was removed meanwhile is no damage.
      guard let entry = try view.entry(name, row, reader, unlocked.sealer) else { return }
      _ = try view.value(name, row, entry, reader, unlocked.sealer)
      verified += 1
    } catch {
      let isUser = view.namespace == .user
      try note(error, isUser ? name.text : "<namespace \(view.namespace.rawValue)> \(name.text)")
    }
  }

  private mutating func note(_ error: StorageError, _ what: String) throws(StorageError) {
    switch error.code {
    case .damaged, .tampered, .newerFormat:
      if !damaged.contains(what) { damaged.append(what) }
    default: throw error
    }
  }
}

extension RowName {
  /// The first 4 bytes in hexadecimal: enough to find the row, and says nothing of its name.
  fileprivate var hexPrefix: String {
    bytes.prefix(4).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }
}

internal import SessionModels

/// One run of ``SecureStore/importing(from:replacing:progress:)``.
struct StoreImporter {
  private static let batch = 64

  let target: SecureStore
  let source: any ImportSource
  let replacing: Bool
  let progress: @Sendable (StoreProgress) -> Void

  func run() async throws(StorageError) -> ImportOutcome {
    guard source.sessionStore !== target else {
      throw .invalidInput(
        "A store cannot be imported into itself",
        advice: "Name another one. Nothing was changed."
      )
    }
    let entries = try await source.entries()
    try await check(entries)
    let move = SessionMove(from: source.sessionStore, to: target)
    try move?.check()
    try await copy(entries)
    try await verify(entries)
    let movedSession = try await move?.perform() ?? false
    try await remove(entries)
    return ImportOutcome(values: entries.count, movedSession: movedSession)
  }

  /// Refuses what cannot be imported as a whole, before anything is changed.
  private func check(_ entries: [ImportEntry]) async throws(StorageError) {
    for entry in entries {
      _ = try KeyName(validating: entry.key)
      guard let value = try await source.value(of: entry) else { continue }
      guard value.count <= StoreLimits.valueBytes else {
        throw .invalidInput(
          "The value of “\(entry.key)” has \(value.count) bytes",
          advice: "At most \(StoreLimits.valueBytes) are allowed. Nothing was changed."
        )
      }
      guard !replacing else { continue }
      let present = try target.secret(forKey: entry.key, in: entry.namespace)
      guard present == nil || present == value else { throw StoreImporter.conflict(entry) }
    }
  }

  private func copy(_ entries: [ImportEntry]) async throws(StorageError) {
    var done = 0
    for start in stride(from: 0, to: entries.count, by: StoreImporter.batch) {
      let batch = entries[start..<min(start + StoreImporter.batch, entries.count)]
      var values: [(ImportEntry, Secret)] = []
      for entry in batch {
        if let value = try await source.value(of: entry) { values.append((entry, value)) }
      }
      try await target.waitingTransaction { [values, replacing] transaction throws(StorageError) in
        for (entry, value) in values {
          try StoreImporter.put(value, entry, replacing, &transaction)
        }
      }
      done += batch.count
      progress(StoreProgress(done: done, total: 2 * entries.count))
    }
  }

  /// Looks again, since another process may have set the key meanwhile.
  private static func put(
    _ value: Secret,
    _ entry: ImportEntry,
    _ replacing: Bool,
    _ transaction: inout StoreTransaction
  ) throws(StorageError) {
    do throws(StorageError) {
      if let present = try transaction.secret(forKey: entry.key, in: entry.namespace) {
        if present == value { return }
        guard replacing else { throw conflict(entry) }
      }
    } catch {
      // What is damaged here is not worth keeping once something else is wanted in its place.
      guard replacing, error.code == .damaged || error.code == .tampered else { throw error }
    }
    try transaction.set(value, forKey: entry.key, in: entry.namespace)
  }

  private func verify(_ entries: [ImportEntry]) async throws(StorageError) {
    for (index, entry) in entries.enumerated() {
      if let value = try await source.value(of: entry) {
        let present = try target.secret(forKey: entry.key, in: entry.namespace)
        guard present == value else { throw StoreImporter.changed }
      }
      if (index + 1).isMultiple(of: StoreImporter.batch) || index + 1 == entries.count {
        progress(StoreProgress(done: entries.count + index + 1, total: 2 * entries.count))
      }
    }
  }

  private func remove(_ entries: [ImportEntry]) async throws(StorageError) {
    let isDone = try await source.remove(entries) { [target] entry, value throws(StorageError) in
      try target.secret(forKey: entry.key, in: entry.namespace) == value
    }
    guard isDone else { throw StoreImporter.changed }
  }

  private static func conflict(_ entry: ImportEntry) -> StorageError {
    .invalidInput(
      "The entry “\(entry.key)” has another value here",
      advice: "Remove it in one of the two, or have those here replaced (`--replace`)."
    )
  }

  private static var changed: StorageError {
    StorageError(
      .busy,
      "A value was changed while it was imported",
      advice: "Nothing is lost: what was changed is still in the source. Import it again."
    )
  }
}

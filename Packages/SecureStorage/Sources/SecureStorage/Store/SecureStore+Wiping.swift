internal import SessionModels
internal import Synchronization

extension SecureStore {
  /// Wipes the session's namespace on this store; needs no key.
  ///
  /// - Returns: What was removed, as far as the keys at hand opened it.
  func wipeSession(reason: SignOutReason) async throws(StorageError) -> SessionRecord? {
    let removed = try await wipeOwnSession(reason: reason)
    if let files = (engine as? SQLiteEngine)?.files {
      try await SecureStore.wipeCopies(besides: files.directory, reason: reason, options: options)
    }
    return removed
  }

  private func wipeOwnSession(
    reason: SignOutReason
  ) async throws(StorageError) -> SessionRecord? {
    try await writing.run { () throws(StorageError) -> SessionRecord? in
      defer { self.cache.withLock { $0.drop(.session) } }
      let known = self.cache.withLock { $0.unlocked }
      var removed: SessionRecord?
      let generation = try SecureStore.wipeSession(
        on: self.engine,
        reason: reason,
        self.options.random
      ) { writer in
        guard var transaction = try? StoreTransaction(writer, known, askingVault: false) else {
          return
        }
        removed = try? SecureSessionStorage.record(in: &transaction)
      } anchoredBy: { [rollback = self.rollback] writer in
        // With the keys at hand the anchor says so too, and the vault counts: then not even a
        // copy of all files brings the session back. Where that fails, it is wiped all the same.
        guard var transaction = try? StoreTransaction(writer, known, askingVault: false) else {
          return
        }
        transaction.mustAnchor = true
        try? transaction.anchorWipe()
        try? transaction.finish(rollback)
      }
      self.publish(generation, [.session])
      self.anchorAgain()
      return removed
    }
  }

  /// Wipes the session's namespace of a store that is not, or cannot be, opened, and of what lies
  /// aside of it.
  static func wipeSession(
    at directory: String,
    reason: SignOutReason,
    options: StoreOptions
  ) async throws(StorageError) -> SessionRecord? {
    let removed = try await wipeSessionAlone(at: directory, reason: reason, options: options)
    let path = StoreFiles(directory: directory).directory
    try await wipeCopies(besides: path, reason: reason, options: options)
    return removed
  }

  /// Wipes the session in what lies aside of a store; all else there stays.
  ///
  /// A copy that a repair made, or a store that was set aside, holds a session that may live, with
  /// its key within reach: who signs out means that one, too (R4).
  private static func wipeCopies(
    besides directory: String,
    reason: SignOutReason,
    options: StoreOptions
  ) async throws(StorageError) {
    var failure: StorageError?
    for copy in SetAside.found(besides: directory) {
      do throws(StorageError) {
        _ = try await wipeSessionAlone(at: copy, reason: reason, options: options)
      } catch {
        failure = StorageError(
          error.code,
          "The session is gone from the store, and not from its copy in \(copy): \(error.message)",
          advice: "Remove the copy."
        )
      }
    }
    if let failure { throw failure }
  }

  private static func wipeSessionAlone(
    at directory: String,
    reason: SignOutReason,
    options: StoreOptions
  ) async throws(StorageError) -> SessionRecord? {
    let open = try await OpenStores.opening.run { () throws(StorageError) -> SecureStore? in
      let files = StoreFiles(directory: directory)
      guard try POSIX.status(files.directory) != nil else { return nil }
      // Where it is ours we may look into it, whatever its mode; what else is wrong is said below.
      var privacy = PrivateFiles()
      privacy.isWiping = true
      try? privacy.prepareDirectory(files.directory)
      try? Obstacles(files: files).clear()
      if let store = OpenStores.store(try files.identity()), !store.isClosed { return store }
      // A vault's file alone is no store.
      guard try exists(at: directory) else { return nil }
      if try POSIX.status(files.database) != nil {
        do throws(StorageError) {
          let engine = try SQLiteEngine(
            directory: files.directory,
            lockDeadline: options.lockDeadline
          )
          defer { engine.close() }
          _ = try wipeSession(on: engine, reason: reason, options.random)
          return nil
        } catch {
          // Permissions that are not as they should be must not keep anybody signed in.
          guard error.code == .io else { throw error }
        }
      }
      let mark = WipedMark(reason: reason, sessionGeneration: options.random.nonZero())
      let salvage = Salvage(files: try files.resolved(), deadline: options.lockDeadline)
      _ = try salvage.wipeSession(leaving: mark)
      return nil
    }
    return try await open?.wipeOwnSession(reason: reason)
  }

  /// Lets `look` read, wipes the session's namespace, and then lets `anchor` write more.
  ///
  /// Where there is no room to do it in the proper way, what is there is overwritten; where the
  /// database is damaged, what can be read of it is moved to a fresh one (R4). In a newer format the
  /// session is taken to lie where it lies in this one.
  private static func wipeSession(
    on engine: any StorageEngine,
    reason: SignOutReason,
    _ random: RandomSource,
    after look: (any StorageWriter) -> Void = { _ in },
    anchoredBy anchor: (any StorageWriter) -> Void = { _ in }
  ) throws(StorageError) -> UInt64 {
    let mark = WipedMark(reason: reason, sessionGeneration: random.nonZero())
    let wipe = { (writer: any StorageWriter) throws(StorageError) -> UInt64 in
      guard writer.isInitialised else { return writer.generation }
      try writer.checkStructure()
      look(writer)
      for space in StoreNamespace.session.spaces { try writer.removeAll(in: space) }
      try writer.putTwice(.wipedMark(of: .session), mark.framed())
      anchor(writer)
      writer.purgeAfterCommit()
      return writer.nextGeneration
    }
    do {
      return try engine.write(wipe)
    } catch {
      switch error.code {
      case .io:
        if let generation = try? engine.overwrite(wipe) { return generation }
      case .newerFormat:
        // What else a later version keeps is its own, and stays.
        if let engine = engine as? SQLiteEngine,
          let generation = try? engine.write(toAnyFormat: true, wipe)
        {
          return generation
        }
      // Busy is a process that does not move, or a reader that keeps the log as it is.
      case .damaged, .tampered, .busy: break
      default: throw error
      }
      guard let files = engine as? SQLiteEngine else { throw error }
      return try files.salvage(leaving: mark, isBusy: error.code == .busy)
    }
  }
}

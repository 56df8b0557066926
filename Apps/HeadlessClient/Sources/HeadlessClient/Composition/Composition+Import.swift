internal import AuthNetworking
internal import SecureStorage
internal import SessionModels

extension Composition {
  /// Moves what another profile's store holds into this one's, with its session.
  ///
  /// - Throws: ``ClientError`` of code `notFound` where there is no store to import.
  func importStore(
    of other: ProfileDirectory,
    replacing: Bool,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) async throws(ClientError) -> ImportOutcome {
    try secureHome()
    guard other.path != profile.path else {
      throw .usage("--from names this profile itself")
    }
    guard try other.hasStore else {
      throw ClientError(.notFound, "There is no store in \(other.storeDirectory)")
    }
    // Nobody renames or removes it meanwhile.
    let hold = try await ProfileHold.wait(for: other.path)
    defer { withExtendedLifetime(hold) {} }
    let opening = StoreOpening(self, importing: other)
    let source = try await withStorageErrors { () async throws(StorageError) in
      try await opening.open()
    }
    defer { source.close() }
    // No refresh may be under way there while its session moves: the answer would be lost (R1).
    let lock = try await holdRefreshes(of: other)
    defer { lock.release() }
    let outcome = try await importing(StoreImport(source), replacing, progress)
    if outcome.movedSession { try adoptSettings(of: other) }
    return outcome
  }

  /// Takes the values of lines of JSON into the store.
  func importLines(
    _ lines: [UInt8],
    replacing: Bool,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) async throws(ClientError) -> ImportOutcome {
    let source = try withStorageErrors { () throws(StorageError) in try JSONLinesImport(lines) }
    return try await importing(source, replacing, progress)
  }

  private func importing(
    _ source: any ImportSource,
    _ replacing: Bool,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) async throws(ClientError) -> ImportOutcome {
    let store = try await storeForWriting()
    return try await withStorageErrors { () async throws(StorageError) in
      try await store.importing(from: source, replacing: replacing, progress: progress)
    }
  }

  private func holdRefreshes(
    of other: ProfileDirectory
  ) async throws(ClientError) -> any HeldRefreshLock {
    do {
      return try await FlockRefreshLock(path: other.refreshLockFile).acquire(timeout: .seconds(10))
    } catch {
      throw ClientError(
        .storage,
        "A refresh of the session to import cannot be kept from running: \(error)",
        advice: error.code == .unusable
          ? "What is imported is removed there: that home must be one that can be written to"
          : "Try again when nothing uses \(other.path)",
        exitStatus: error.code == .unusable ? .storage : .temporary
      )
    }
  }

  /// What the session itself does not say is remembered here from now on, as after its sign-in.
  private func adoptSettings(of other: ProfileDirectory) throws(ClientError) {
    let theirs = try ProfileSettings.read(from: other.settingsFile)
    try remember { settings in
      settings.baseURL = theirs.baseURL
      settings.realtimeURL = theirs.realtimeURL
      settings.dialect = theirs.dialect
      settings.tokenModel = theirs.tokenModel
    }
  }
}

extension SecureStore {
  /// Moves values from a source into this store: copies all of them, reads all of them back, and
  /// only then deletes them there.
  ///
  /// A failure before that leaves the source whole. Called again, also after a crash anywhere, it
  /// finishes the work: what is here already is not copied twice. The session moves as well where
  /// nobody is signed in here; at no time can both stores refresh it.
  ///
  /// - Parameters:
  ///   - source: ``StoreImport`` or ``JSONLinesImport``, or one of your own.
  ///   - replacing: Whether a key that has another value here takes the source's. Otherwise such a
  ///     key is an error, before anything is changed.
  ///   - progress: Called now and then; each value counts when it is copied and when it is read
  ///     back.
  /// - Returns: How much was imported.
  /// - Throws: `invalidInput` for keys with another value here, for a session where somebody is
  ///   signed in here, and for the store itself as its source; `busy` where the source was changed
  ///   meanwhile (all that was copied is in both then); what reading and writing throw.
  @discardableResult
  public func importing(
    from source: any ImportSource,
    replacing: Bool = false,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws(StorageError) -> ImportOutcome {
    let importer = StoreImporter(
      target: self,
      source: source,
      replacing: replacing,
      progress: progress
    )
    return try await importer.run()
  }
}

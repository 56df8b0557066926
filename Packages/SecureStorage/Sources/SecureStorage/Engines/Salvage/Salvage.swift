#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Signs out of a store whose database cannot be used any more, and keeps all else that can be
/// read (R4).
///
/// The rows are read from the bytes of the files, without SQLite; a database with those that are
/// not the session's takes the place of the old one, whose bytes are overwritten. What could not
/// be read is missing in it, and every reader says so.
struct Salvage {
  let files: StoreFiles
  let deadline: Duration

  /// Where another process keeps the lock and does not move, it is passed over.
  ///
  /// - Parameter mark: What stands in place of the session.
  /// - Returns: The generation of the store then.
  /// - Throws: `io`, `busy`; the store is as it was then.
  func wipeSession(leaving mark: WipedMark) throws(StorageError) -> UInt64 {
    do throws(StorageError) {
      return try wipeSessionUnderLock(leaving: mark)
    } catch {
      guard error.code == .busy else { throw error }
      return try wipeSessionEvicting(leaving: mark)
    }
  }

  private func wipeSessionUnderLock(leaving mark: WipedMark) throws(StorageError) -> UInt64 {
    try exclusively(isWiping: true) { generations throws(StorageError) in
      let old = try OldFiles([files.database, files.log, files.sharedMemory])
      let before = generations.stamp
      let last = GenerationFile.believed(GenerationFile.generation(of: before))
      let kept = try Kept(old, files, mark, generations)
      let image = try kept.image(version: old.version)
      generations.beginCommit(after: last)
      do throws(StorageError) {
        try put(image, in: old)
      } catch {
        generations.set(before)
        throw error
      }
      guard let generation = kept.newGeneration else {
        generations.set(last << 1)
        return last
      }
      generations.setDurable(generation)
      generations.endCommit(generation)
      return generation
    } ?? 0
  }

  private func wipeSessionEvicting(leaving mark: WipedMark) throws(StorageError) -> UInt64 {
    try checkFiles(isWiping: true)
    let generations = try GenerationFile(path: files.generation)
    guard generations.stamp != GenerationFile.retired else { return 0 }
    return try Eviction(files: files).perform(generations) { old throws(StorageError) in
      let kept = try Kept(old, files, mark, generations)
      return (try kept.image(version: old.version), kept.newGeneration)
    }
  }

  /// Puts in the place of the database what can be proved of it, once a copy of it is kept.
  ///
  /// - Parameters:
  ///   - now: For the copy's name.
  ///   - recover: Gets all rows that were found, and the generation that must have been reached.
  /// - Returns: What was recovered, and where the copy lies.
  /// - Throws: `io`, `busy`, `misuse`, `newerFormat` and what `recover` throws; the store is as it
  ///   was then.
  func repair(
    now: Date,
    _ recover: (FoundRows, _ durable: UInt64) throws(StorageError) -> RecoveredStore
  ) throws(StorageError) -> (store: RecoveredStore, aside: String) {
    let repaired = try exclusively(isWiping: false) { generations throws(StorageError) in
      let old = try OldFiles([files.database, files.log])
      let found = try old.rows(files)
      let before = generations.stamp
      let last = GenerationFile.believed(GenerationFile.generation(of: before))
      let store = try recovered(from: found, old.version, generations.durable, recover)
      let generation = max(store.generation, last) + 1
      let image = try store.image(generation: generation)
      let aside = try DamagedCopy.make(of: files, now: now)
      generations.beginCommit(after: last)
      do throws(StorageError) {
        try DatabaseSwap(files: files).perform(with: image)
      } catch {
        generations.set(before)
        throw error
      }
      generations.setDurable(generation)
      generations.endCommit(generation)
      return (store, aside)
    }
    guard let repaired else {
      throw .misuse("The store in \(files.directory) was set aside", advice: "Open it again.")
    }
    return repaired
  }

  /// What can be proved, where the store is one of this format.
  ///
  /// Nothing protects the number in the header. Where all else is of this format, authentic and
  /// complete, the number is what is damaged: another format says so in keyset and anchor, too.
  private func recovered(
    from found: FoundRows,
    _ version: Int64,
    _ durable: UInt64,
    _ recover: (FoundRows, _ durable: UInt64) throws(StorageError) -> RecoveredStore
  ) throws(StorageError) -> RecoveredStore {
    guard version > Int64(StoreFormat.version) else { return try recover(found, durable) }
    let newer = StorageError.newerFormat("\(files.database) has format \(version)")
    guard found.isOfThisFormat else { throw newer }
    let store = try recover(found, durable)
    guard store.lost.isEmpty else { throw newer }
    return store
  }

  /// Runs `body` while nobody else writes; nil where the store was set aside.
  private func exclusively<Result>(
    isWiping: Bool,
    _ body: (GenerationFile) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    try checkFiles(isWiping: isWiping)
    let swap = DatabaseSwap(files: files)
    let lock = try FileLock(path: files.lock)
    let generations = try GenerationFile(path: files.generation)
    return try lock.withLock(within: deadline) { () throws(StorageError) -> Result? in
      guard generations.stamp != GenerationFile.retired else { return nil }
      try swap.settle()
      return try body(generations)
    }
  }

  private func checkFiles(isWiping: Bool) throws(StorageError) {
    var privacy = PrivateFiles()
    privacy.isWiping = isWiping
    try privacy.prepareDirectory(files.directory)
    let paths = [files.database, files.log, files.sharedMemory, files.lock, files.generation]
    for path in paths + DatabaseSwap(files: files).leftovers { _ = try privacy.check(path) }
  }

  /// Puts a new database in the place of the old files.
  private func put(_ image: [UInt8], in old: OldFiles) throws(StorageError) {
    let swap = DatabaseSwap(files: files)
    do throws(StorageError) {
      try swap.perform(with: image)
    } catch {
      swap.abandon()
      // No room for both: then the old one makes room, and a crash just now would lose it.
      try old.reserve(image.count, in: files.database, withThatOf: files.log)
      try old.overwrite(files.log)
      unlink(files.log)
      unlink(files.sharedMemory)
      try old.replace(files.database, with: image)
    }
  }
}

/// What is kept of a damaged store.
private struct Kept {
  private let rows: [SalvagedRow]
  /// That of the new state; nil where the old one's is not known, or is older than it should be:
  /// either must go on showing.
  let newGeneration: UInt64?

  init(
    _ old: OldFiles,
    _ files: StoreFiles,
    _ mark: WipedMark,
    _ words: GenerationFile
  ) throws(StorageError) {
    let found = try old.rowsWithoutSession(files)
    let last = GenerationFile.believed(GenerationFile.generation(of: words.stamp))
    let durable = words.durable
    let generations = found.filter { $0.name == RowName.generation.bytes }.compactMap { row in
      var reader = ByteReader(Checksummed.payload(of: row.value) ?? [])
      return reader.number(UInt64.self)
    }
    let old = generations.max()
    // Of nothing at all there is no state that could be older than it should be.
    newGeneration =
      found.isEmpty
      ? max(durable, last) + 1
      : old.flatMap { $0 >= durable && $0 < 1 << 60 ? max($0, last) + 1 : nil }
    let generation = newGeneration ?? old
    let replaced = [RowName.generation.bytes, RowName.wipedMark(of: .session).bytes]
    var new: [(RowName, [UInt8])] = [(.wipedMark(of: .session), mark.framed())]
    if let generation {
      new.append((.generation, Checksummed.frame(generation.bigEndianBytes)))
    }
    rows =
      found.filter { $0.space & ~StoreFormat.copyOffset != 0 || !replaced.contains($0.name) }
      + new.flatMap { name, value in
        [name, name.copy].map { SalvagedRow(space: $0.space, name: $0.bytes, value: value) }
      }
  }

  /// The bytes of a database with these rows.
  func image(version: Int64) throws(StorageError) -> [UInt8] {
    let connection = try SQLiteConnection.inMemory(version: version)
    defer { connection.close() }
    for row in rows {
      try connection.run(.put, space: row.space, name: row.name, value: row.value)
    }
    return try connection.finishedImage()
  }
}

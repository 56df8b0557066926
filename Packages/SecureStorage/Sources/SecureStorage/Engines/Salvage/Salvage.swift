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

  private var replacement: String { files.database + ".new" }

  /// - Parameter mark: What stands in place of the session.
  /// - Returns: The generation of the store then.
  /// - Throws: `io`, `busy`; the store is as it was then.
  func wipeSession(leaving mark: WipedMark) throws(StorageError) -> UInt64 {
    var privacy = PrivateFiles()
    let paths = [files.database, files.log, files.sharedMemory, replacement]
    for path in paths + [files.lock, files.generation] { _ = try privacy.check(path) }
    let lock = try FileLock(path: files.lock)
    let generations = try GenerationFile(path: files.generation)
    return try lock.withLock(within: deadline) { () throws(StorageError) in
      guard generations.stamp != GenerationFile.retired else { return 0 }
      let old = try OldFiles(paths)
      let before = generations.stamp
      let last = GenerationFile.generation(of: before)
      let rows = try old.rows(files, replacement)
      let kept = Kept(rows, mark, durable: generations.durable, last: last)
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
    }
  }

  /// The old files stay as they are until the new one is durable; then they go, the log first, or
  /// it would be taken for the new one's.
  private func put(_ image: [UInt8], in old: OldFiles) throws(StorageError) {
    do throws(StorageError) {
      // Left by a crash; what it holds was read with the rest.
      unlink(replacement)
      let file = try POSIX.openFile(replacement, creating: true)
      defer { close(file) }
      try POSIX.writeAll(file, image, path: replacement)
      guard fsync(file) == 0 else { throw POSIX.failure("cannot sync", replacement) }
    } catch {
      unlink(replacement)
      // No room for both: then the old one makes room, and a crash just now would lose it.
      try old.overwrite(files.log)
      unlink(files.log)
      unlink(files.sharedMemory)
      return try old.replace(files.database, with: image)
    }
    unlink(files.log)
    unlink(files.sharedMemory)
    guard rename(replacement, files.database) == 0 else {
      throw POSIX.failure("cannot replace", files.database)
    }
    try POSIX.syncDirectory(files.directory)
    try old.overwriteAll()
  }
}

/// What is kept of a damaged store.
private struct Kept {
  private let rows: [SalvagedRow]
  /// That of the new state; nil where the old one's is not known, or is older than it should be:
  /// either must go on showing.
  let newGeneration: UInt64?

  init(_ found: [SalvagedRow], _ mark: WipedMark, durable: UInt64, last: UInt64) {
    let generations = found.filter { $0.name == RowName.generation.bytes }.compactMap { row in
      var reader = ByteReader(Checksummed.payload(of: row.value) ?? [])
      return reader.number(UInt64.self)
    }
    let old = generations.max()
    newGeneration = old.flatMap { $0 >= durable && $0 < 1 << 60 ? max($0, last) + 1 : nil }
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
    let connection = try SQLiteConnection(path: ":memory:", synchronous: .full)
    defer { connection.close() }
    try connection.execute("BEGIN")
    try connection.execute(SQLiteSession.schema)
    try connection.execute("PRAGMA application_id=\(StoreFormat.applicationID)")
    try connection.execute("PRAGMA user_version=\(version)")
    for row in rows {
      try connection.run(.put, space: row.space, name: row.name, value: row.value)
    }
    try connection.execute("COMMIT")
    var image = try connection.serialized()
    // Memory has no log; the file has one from the start.
    for place in [18, 19] where image.count > place { image[place] = 2 }
    return image
  }
}

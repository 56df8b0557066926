#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The files of a damaged store, open, so that they can be overwritten when others stand in their
/// place.
final class OldFiles {
  private var descriptors: [String: Int32] = [:]
  /// What the database says that its format is, where that can be.
  private(set) var version = Int64(StoreFormat.version)

  /// Those of the paths that are there.
  init(_ paths: [String]) throws(StorageError) {
    for path in paths where try POSIX.status(path) != nil {
      descriptors[path] = try POSIX.openFile(path, creating: false)
    }
  }

  deinit { for file in descriptors.values { close(file) } }

  /// The bytes of database and log.
  func contents(_ files: StoreFiles) throws(StorageError) -> [[UInt8]] {
    [try content(files.database), try content(files.log)]
  }

  /// What can be read without the session.
  func rowsWithoutSession(_ files: StoreFiles) throws(StorageError) -> [SalvagedRow] {
    let image = LogReplay.apply(try content(files.log), to: try content(files.database))
    noteVersion(image)
    return SessionFilter.rows(without: DatabaseImage.rows(in: image))
  }

  /// Every row that can be read; several of one name where there are old ones among them.
  func rows(_ files: StoreFiles) throws(StorageError) -> FoundRows {
    let (log, database) = (try content(files.log), try content(files.database))
    let image = LogReplay.apply(log, to: database)
    noteVersion(image)
    let patched = LogReplay.applySoundFrames(of: log, to: database)
    let rows = DatabaseImage.rows(in: image) + (patched.map { DatabaseImage.rows(in: $0) } ?? [])
    let images = [image] + (patched.map { [$0] } ?? [])
    return FoundRows(rows.flatMap { $0 }, OrdinaryReads(images, of: files.database))
  }

  /// The name of the vault that the store was made with.
  ///
  /// - Throws: `damaged` where it cannot be read.
  func vaultName(_ files: StoreFiles) throws(StorageError) -> VaultName {
    guard let name = try rows(files).payloads(.vault).first else {
      throw .beyondRepair("the name of its vault is missing")
    }
    return VaultName(rawValue: String(decoding: name, as: UTF8.self))
  }

  /// A newer version is a newer version's to judge; anything else is damage.
  private func noteVersion(_ image: [UInt8]) {
    guard image.count >= 100, image.number(at: 68) == UInt32(StoreFormat.applicationID) else {
      return
    }
    let named = Int64(image.number(at: 60))
    if (1..<128).contains(named) { version = named }
  }

  private func content(_ path: String) throws(StorageError) -> [UInt8] {
    guard let file = descriptors[path] else { return [] }
    return try POSIX.readAll(file, limit: Int(try size(file, path)), path: path)
  }

  private func size(_ file: Int32, _ path: String) throws(StorageError) -> off_t {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw POSIX.failure("cannot look at", path) }
    return status.st_size
  }

  /// Overwrites every one of them.
  func overwriteAll() throws(StorageError) {
    for path in descriptors.keys { try overwrite(path) }
  }

  /// Overwrites a file with zeros, whatever stands at its path by now.
  func overwrite(_ path: String) throws(StorageError) {
    guard let file = descriptors[path] else { return }
    try writeZeros(file, from: 0, to: try size(file, path), path)
    guard fsync(file) == 0 else { throw POSIX.failure("cannot sync", path) }
  }

  /// Makes a file as long as it must become, so that nothing is lost half-way for lack of room.
  ///
  /// - Parameters:
  ///   - length: In bytes.
  ///   - path: The file.
  ///   - other: A file that gives its room where there is none else; emptied then.
  /// - Throws: `io`; where both together are too small, both are as they were.
  func reserve(
    _ length: Int,
    in path: String,
    withThatOf other: String
  ) throws(StorageError) {
    guard let file = descriptors[path] else { return }
    let size = try size(file, path)
    do throws(StorageError) {
      try extend(file, from: size, to: off_t(length), path)
    } catch {
      guard let giver = descriptors[other], try self.size(giver, other) + size >= length else {
        throw error
      }
      // Removing its name would free nothing, as long as anybody has it open.
      try overwrite(other)
      guard ftruncate(giver, 0) == 0 else { throw POSIX.failure("cannot empty", other) }
      try extend(file, from: size, to: off_t(length), path)
    }
  }

  /// Writes zeros behind the end of a file: a length without blocks would reserve nothing.
  private func extend(
    _ file: Int32,
    from size: off_t,
    to length: off_t,
    _ path: String
  ) throws(StorageError) {
    guard size < length else { return }
    do throws(StorageError) {
      try writeZeros(file, from: size, to: length, path)
      guard fsync(file) == 0 else { throw POSIX.failure("cannot sync", path) }
    } catch {
      _ = ftruncate(file, size)
      throw error
    }
  }

  private func writeZeros(
    _ file: Int32,
    from start: off_t,
    to end: off_t,
    _ path: String
  ) throws(StorageError) {
    let zeros = [UInt8](repeating: 0, count: 1 << 16)
    var done = start
    while done < end {
      let count = pwrite(file, zeros, min(zeros.count, Int(end - done)), done)
      guard count > 0 else {
        if errno == EINTR { continue }
        throw POSIX.failure("cannot overwrite", path)
      }
      done += off_t(count)
    }
  }

  /// Overwrites a file with other bytes, and cuts it there.
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) {
    guard let file = descriptors[path] else {
      throw .io("There is no room for \(path)", advice: "Make room and try again.")
    }
    try overwrite(path)
    try POSIX.writeAll(file, bytes, path: path)
    guard ftruncate(file, off_t(bytes.count)) == 0, fsync(file) == 0 else {
      throw POSIX.failure("cannot write", path)
    }
  }
}

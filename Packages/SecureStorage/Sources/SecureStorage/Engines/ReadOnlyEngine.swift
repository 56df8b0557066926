internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Reads a store where nothing can be written: a read-only mount or medium, a directory without
/// permission to write.
///
/// SQLite itself would need the lock files that it cannot make there. So the database is opened as
/// one that never changes; where its log holds commits, both are put together in memory. Should
/// somebody write to it by another way all the same, what was read meanwhile is read again.
final class ReadOnlyEngine: StorageEngine {
  let files: StoreFiles
  let notes: [StoreNote]
  private let state = Mutex(State())

  private struct State {
    var connection: SQLiteConnection?
    var seen: Sight?
    var isClosed = false
  }

  /// What tells one state of the files from the next.
  private struct Sight: Equatable {
    var files: [FileSight?]
    var words: [UInt64]
  }

  private struct FileSight: Equatable {
    let identity: [UInt64]
    let size: Int64
    let changed: [UInt8]

    init(_ status: stat) {
      identity = [
        UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino),
      ]
      size = Int64(status.st_size)
      // As bytes: which module its fields belong to is not the same in every build.
      #if canImport(Darwin)
      changed = withUnsafeBytes(of: status.st_mtimespec) { Array($0) }
      #else
      changed = withUnsafeBytes(of: status.st_mtim) { Array($0) }
      #endif
    }
  }

  /// Whether the store in a directory can be read, and not be written.
  static func isNeeded(for directory: String) throws(StorageError) -> Bool {
    let files = StoreFiles(directory: directory)
    guard try POSIX.status(files.directory) != nil, try POSIX.status(files.database) != nil else {
      return false
    }
    guard access(files.directory, W_OK) != 0 else { return false }
    return errno == EROFS || errno == EACCES
  }

  init(directory: String) throws(StorageError) {
    var privacy = PrivateFiles()
    let asked = StoreFiles(directory: directory)
    try privacy.prepareDirectory(asked.directory)
    files = try asked.resolved()
    for path in [files.database, files.log, files.generation] { _ = try privacy.check(path) }
    notes = privacy.notes + [.readOnly(path: files.directory)]
  }

  var location: String { files.database }

  /// Odd: nothing that was read is trusted to be the last word.
  var stamp: UInt64 { 1 }

  func read<Result: Sendable>(
    _ body: (any StorageReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try state.withLock { state throws(StorageError) in
      guard !state.isClosed else {
        throw .misuse("The store in \(files.directory) was closed", advice: "Open it again.")
      }
      for _ in 0..<5 {
        let sight = try look()
        do throws(StorageError) {
          let result = try body(session(&state, sight))
          if try look() == sight { return result }
        } catch {
          guard try look() != sight else { throw error }
        }
      }
      throw StorageError(.busy, "\(files.database) changes all the time", advice: "Try again.")
    }
  }

  func write<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result { throw readOnly }

  func overwrite<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result { throw readOnly }

  func observe(_ changed: @escaping @Sendable () -> Void) {}

  func size() -> Int { files.size() }

  func close() {
    state.withLock { state in
      state.connection?.close()
      state = State(isClosed: true)
    }
  }

  private var readOnly: StorageError {
    .io(
      "Nothing can be written to \(files.directory), which is read-only",
      advice: "Mount it for writing, or mend its permissions. Nothing was changed."
    )
  }

  private func session(
    _ state: inout State,
    _ sight: Sight
  ) throws(StorageError) -> SQLiteSession {
    if state.seen != sight {
      state.connection?.close()
      (state.connection, state.seen) = (nil, nil)
    }
    let connection: SQLiteConnection
    if let open = state.connection { connection = open } else { connection = try connect(sight) }
    (state.connection, state.seen) = (connection, sight)
    let last = GenerationFile.generation(of: sight.words[0])
    return try SQLiteSession(
      connection,
      path: files.database,
      durable: min(sight.words[1], last),
      last: last
    )
  }

  private func connect(_ sight: Sight) throws(StorageError) -> SQLiteConnection {
    let hasLog = sight.files[1].map { $0.size > 0 } ?? false
    guard hasLog else { return try SQLiteConnection(unchanging: files.database) }
    let image = LogReplay.apply(try content(files.log), to: try content(files.database))
    return try SQLiteConnection(image: image, of: files.database)
  }

  private func content(_ path: String) throws(StorageError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw POSIX.failure("cannot open", path) }
    defer { closeFile(file) }
    return try POSIX.readAll(file, limit: Int(lseek(file, 0, SEEK_END)), path: path)
  }

  private func look() throws(StorageError) -> Sight {
    var sights: [FileSight?] = []
    for path in [files.database, files.log] {
      sights.append(try POSIX.status(path).map { FileSight($0) })
    }
    var words: [UInt64] = [0, 0]
    let file = open(files.generation, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    if file >= 0 {
      let count = words.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
      closeFile(file)
      if count != 16 { words = [0, 0] }
    }
    return Sight(files: sights, words: words)
  }
}

/// `close(2)`, which a method of the same name hides.
private func closeFile(_ file: Int32) { _ = close(file) }

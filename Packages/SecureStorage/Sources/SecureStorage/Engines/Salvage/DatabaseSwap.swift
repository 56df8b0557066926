#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Puts another database in the place of a store's, so that a crash leaves the old one or the new.
///
/// The old log must go before the new database comes, or it would be taken for the new one's. So
/// the step that decides is another: the new file gets a name that says it is whole. From there
/// on whoever opens the store, or writes to it, brings the rest to its end.
struct DatabaseSwap {
  let files: StoreFiles

  /// Being written; what is found under this name was given up.
  private var draft: String { files.database + ".new" }
  /// Whole and durable, and the store's database from now on.
  private var whole: String { files.database + ".whole" }

  /// Every name that a swap may leave behind.
  var leftovers: [String] { [draft, whole] }

  /// What the old database consists of.
  private var old: [String] { [files.database, files.log, files.sharedMemory] }

  /// Whether a swap was cut short.
  var isPending: Bool {
    get throws(StorageError) {
      for path in leftovers where try POSIX.status(path) != nil { return true }
      return false
    }
  }

  /// Swaps; only under the writers' lock, and with no connection of this process left open.
  ///
  /// - Throws: `io`; the old database stands then, except where the message says so.
  func perform(with image: [UInt8]) throws(StorageError) {
    try prepare(image)
    try finish()
  }

  /// Makes the new database durable and the one that is to be; ``settle()`` does the rest.
  ///
  /// - Throws: `io`; nothing has changed then.
  func prepare(_ image: [UInt8]) throws(StorageError) {
    do throws(StorageError) {
      unlink(draft)
      let file = try POSIX.openFile(draft, creating: true)
      defer { close(file) }
      try POSIX.writeAll(file, image, path: draft)
      guard fsync(file) == 0 else { throw POSIX.failure("cannot sync", draft) }
      guard rename(draft, whole) == 0 else { throw POSIX.failure("cannot replace", whole) }
      try POSIX.syncDirectory(files.directory)
    } catch {
      abandon()
      throw error
    }
  }

  /// Gives up what was prepared.
  func abandon() {
    unlink(draft)
    unlink(whole)
  }

  /// Brings a swap that was cut short to its end, or clears away what it left.
  ///
  /// Only under the writers' lock.
  func settle() throws(StorageError) {
    unlink(draft)
    if try POSIX.status(whole) != nil { try finish() }
  }

  private func finish() throws(StorageError) {
    let replaced = try OldFiles(old)
    unlink(files.log)
    unlink(files.sharedMemory)
    guard rename(whole, files.database) == 0 else {
      throw POSIX.failure("cannot replace", files.database)
    }
    try POSIX.syncDirectory(files.directory)
    // Whoever has them open still must not go on with them.
    try replaced.overwriteAll()
  }
}

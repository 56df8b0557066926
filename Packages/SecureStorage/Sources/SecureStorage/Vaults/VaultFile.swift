#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The file of a vault: private, replaced as a whole or not at all, its damage noticed.
struct VaultFile: Sendable {
  private static let limit = 4096

  let path: String

  /// The content, or nil where there is no file.
  ///
  /// - Throws: `keyLost` where it is damaged, `io` where it cannot be read or is not private.
  func read() throws(StorageError) -> [UInt8]? {
    var privacy = PrivateFiles()
    guard try privacy.check(path) else { return nil }
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw POSIX.failure("cannot open", path)
    }
    defer { close(file) }
    var framed = try POSIX.readAll(file, limit: VaultFile.limit, path: path)
    defer { Sodium.wipe(&framed) }
    guard let content = Checksummed.payload(of: framed) else {
      throw .keyLost("The key file \(path) is damaged")
    }
    return content
  }

  /// Runs `body` while no other process changes a vault in the directory: what is read in it is
  /// still there when it is replaced.
  func exclusively<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let path = PrivateFiles.parent(of: path)
    var privacy = PrivateFiles()
    try privacy.prepareDirectory(path)
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw POSIX.failure("cannot open", path) }
    defer { close(directory) }
    while flock(directory, LOCK_EX) != 0 {
      guard errno == EINTR else { throw POSIX.failure("cannot lock", path) }
    }
    return try body()
  }

  /// Replaces the content, durably; whoever looks sees the old or the new one.
  func write(_ content: [UInt8]) throws(StorageError) {
    var privacy = PrivateFiles()
    let directory = PrivateFiles.parent(of: path)
    try privacy.prepareDirectory(directory)
    _ = try privacy.check(path)
    let temporary = "\(path).new-\(getpid())"
    removeLeftovers(beside: temporary)
    let file = try POSIX.openFile(temporary, creating: true)
    var framed = Checksummed.frame(content)
    defer { Sodium.wipe(&framed) }
    do throws(StorageError) {
      defer { close(file) }
      try POSIX.writeAll(file, framed, path: temporary)
      guard fsync(file) == 0 else { throw POSIX.failure("cannot sync", temporary) }
      guard rename(temporary, path) == 0 else { throw POSIX.failure("cannot replace", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try POSIX.syncDirectory(directory)
  }

  /// Removes what processes left that were killed while they wrote.
  private func removeLeftovers(beside temporary: String) {
    unlink(temporary)
    let prefix = "\(path).new-"
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(prefix + "*", GLOB_NOSORT, nil, &found) == 0 else { return }
    for index in 0..<Int(found.gl_pathc) {
      guard let name = found.gl_pathv[index].map({ String(cString: $0) }),
        let process = pid_t(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH
      else { continue }
      unlink(name)
    }
  }

  /// As ``remove()``, while no other process changes it.
  func removeExclusively() throws(StorageError) {
    guard try POSIX.status(path) != nil else { return }
    try exclusively { () throws(StorageError) in try remove() }
  }

  /// Overwrites and removes the file, if there is one.
  func remove() throws(StorageError) {
    var privacy = PrivateFiles()
    guard try privacy.check(path) else { return }
    let file = try POSIX.openFile(path, creating: false)
    defer { close(file) }
    // No file of ours is longer, and what is shorter takes up one block of the disk in any case.
    try POSIX.writeAll(file, [UInt8](repeating: 0, count: VaultFile.limit), path: path)
    guard fsync(file) == 0, unlink(path) == 0 else { throw POSIX.failure("cannot remove", path) }
    try POSIX.syncDirectory(PrivateFiles.parent(of: path))
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Lets two directories change places.
enum DirectoryExchange {
  /// Exchanges the names of two directories of one file system.
  ///
  /// One step, of which a crash leaves nothing undone, where the file system can do that; most can.
  ///
  /// - Parameters:
  ///   - one: A directory.
  ///   - other: Another one, beside it.
  ///   - name: A name that nothing has, for where it takes more than one step.
  /// - Throws: `io`; both are where they were then.
  static func perform(
    _ one: String,
    _ other: String,
    by name: String
  ) throws(StorageError) {
    if atOnce(one, other) == 0 { return }
    guard [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(errno) else {
      throw POSIX.failure("cannot set aside", one)
    }
    try inSteps(one, other, by: name)
  }

  /// The same in three renames.
  static func inSteps(
    _ one: String,
    _ other: String,
    by name: String
  ) throws(StorageError) {
    guard rename(one, name) == 0 else { throw POSIX.failure("cannot set aside", one) }
    guard rename(other, one) == 0 else {
      let failure = POSIX.failure("cannot move", other)
      rename(name, one)
      throw failure
    }
    guard rename(name, other) == 0 else {
      let failure = POSIX.failure("cannot set aside", one)
      rename(one, other)
      rename(name, one)
      throw failure
    }
  }

  private static func atOnce(_ one: String, _ other: String) -> Int32 {
    #if canImport(Darwin)
    return renamex_np(one, other, UInt32(RENAME_SWAP))
    #else
    typealias Rename =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    // The C libraries have it, some of them since a short time, and their modules do not show it.
    guard let symbol = dlsym(nil, "renameat2") else {
      errno = ENOSYS
      return -1
    }
    let exchange: UInt32 = 2
    return unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, one, AT_FDCWD, other, exchange)
    #endif
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// What stands in the place of one of a store's files and can hold nothing of it: a directory, a
/// pipe, a socket.
///
/// A link is none of these: what it leads to may well be the store.
struct Obstacles {
  let files: StoreFiles

  private var places: [String] {
    [files.database, files.log, files.sharedMemory, files.lock, files.generation]
      + DatabaseSwap(files: files).leftovers + [files.lock + ".new"]
  }

  /// Clears them away, so that they keep nobody signed in (R4).
  ///
  /// A directory that holds something is given another name, for it is somebody's.
  ///
  /// - Throws: `io` where one is another user's, or cannot be moved.
  func clear() throws(StorageError) {
    for path in places {
      guard let status = try POSIX.status(path), !POSIX.isKind(status, S_IFREG),
        !POSIX.isKind(status, S_IFLNK)
      else { continue }
      guard status.st_uid == geteuid() else {
        throw .io("\(path) belongs to another user and is no file", advice: "Remove it.")
      }
      if POSIX.isKind(status, S_IFDIR) {
        if rmdir(path) == 0 { continue }
        guard rename(path, try Obstacles.freeName(path)) == 0 else {
          throw POSIX.failure("cannot move away", path)
        }
      } else if unlink(path) != 0 {
        throw POSIX.failure("cannot remove", path)
      }
    }
  }

  private static func freeName(_ path: String) throws(StorageError) -> String {
    var number = 1
    while try POSIX.status("\(path).obstacle-\(number)") != nil { number += 1 }
    return "\(path).obstacle-\(number)"
  }
}

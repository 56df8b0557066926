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

/// Keeps a copy of a damaged database, before anything is done to it.
enum DamagedCopy {
  /// Copies database, log and generation, not the vault's file, to a directory of their own
  /// beside the store's.
  ///
  /// Only under the writers' lock.
  ///
  /// - Returns: The directory.
  /// - Throws: `io`; no copy is left then.
  static func make(of files: StoreFiles, now: Date) throws(StorageError) -> String {
    let copy = StoreFiles(directory: try SetAside.freeName(files.directory, now: now))
    guard mkdir(copy.directory, 0o700) == 0, chmod(copy.directory, 0o700) == 0 else {
      throw POSIX.failure("cannot make the directory", copy.directory)
    }
    let pairs = [
      (files.database, copy.database), (files.log, copy.log), (files.generation, copy.generation),
    ]
    do throws(StorageError) {
      for (from, to) in pairs where try POSIX.status(from) != nil { try duplicate(from, to) }
      try POSIX.syncDirectory(copy.directory)
      try POSIX.syncDirectory(PrivateFiles.parent(of: copy.directory))
    } catch {
      for (_, to) in pairs { unlink(to) }
      rmdir(copy.directory)
      throw .io(
        "No copy of the damaged store could be made: \(error.message)",
        advice: "Nothing was changed. \(error.advice)"
      )
    }
    return copy.directory
  }

  private static func duplicate(_ from: String, _ to: String) throws(StorageError) {
    let source = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard source >= 0 else { throw POSIX.failure("cannot open", from) }
    defer { close(source) }
    let target = try POSIX.openFile(to, creating: true)
    defer { close(target) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw POSIX.failure("cannot read", from)
      }
      var done = 0
      while done < count {
        let part = buffer[done..<count].withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        guard part >= 0 else {
          if errno == EINTR { continue }
          throw POSIX.failure("cannot write", to)
        }
        done += part
      }
    }
    guard fsync(target) == 0 else { throw POSIX.failure("cannot sync", to) }
  }
}

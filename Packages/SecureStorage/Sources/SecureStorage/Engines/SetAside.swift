internal import SessionModels

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

/// Moves a store's directory away, as one rename, with no writer in between.
enum SetAside {
  /// - Returns: The new path.
  static func perform(_ files: StoreFiles, now: Date) throws(StorageError) -> String {
    try moving(files) { () throws(StorageError) in
      let target = try freeName(files.directory, now: now)
      guard rename(files.directory, target) == 0 else {
        throw POSIX.failure("cannot set aside", files.directory)
      }
      return target
    }
  }

  /// Puts another store in the place of one, which gets its name: no moment is without a store.
  ///
  /// - Parameters:
  ///   - files: The one that is set aside.
  ///   - fresh: The directory of the other, from ``claimName(_:now:)``, which nobody has open.
  /// - Throws: `io`, `busy`; both are as they were then.
  static func exchange(_ files: StoreFiles, with fresh: String) throws(StorageError) {
    _ = try moving(files) { () throws(StorageError) in
      try DirectoryExchange.perform(files.directory, fresh, by: try freeName(fresh, now: Date()))
      return fresh
    }
  }

  private static func moving(
    _ files: StoreFiles,
    _ move: () throws(StorageError) -> String
  ) throws(StorageError) -> String {
    var privacy = PrivateFiles()
    try privacy.prepareDirectory(files.directory)
    for path in [files.lock, files.generation] { _ = try privacy.check(path) }
    let lock = try FileLock(path: files.lock)
    let generations = try GenerationFile(path: files.generation)
    return try lock.withLock(within: .seconds(10)) { () throws(StorageError) in
      let before = generations.stamp
      let target = try move()
      // Not before it has moved: a crash in between would leave a store that nobody can open. Who
      // has it open reads the old one a moment longer, and finds another lock where it writes.
      generations.set(GenerationFile.retired)
      // What a power cut undoes now is a store as it was.
      try? POSIX.syncDirectory(PrivateFiles.parent(of: files.directory))
      let stamp = before == GenerationFile.retired ? 0 : before
      try? renew(StoreFiles(directory: target).generation, stamp)
      return target
    }
  }

  /// A word of its own for what lies aside: who has the old one mapped must go on seeing that the
  /// store was set aside, and who puts the directory back must be able to open it.
  private static func renew(_ path: String, _ stamp: UInt64) throws(StorageError) {
    let temporary = path + ".new"
    unlink(temporary)
    try GenerationFile(path: temporary).set(stamp)
    guard rename(temporary, path) == 0 else { throw POSIX.failure("cannot replace", path) }
  }

  private static let infix = ".aside-"

  /// The stores and copies that lie aside of a directory, by whatever command.
  static func found(besides directory: String) -> [String] {
    let parent = PrivateFiles.parent(of: directory)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    let prefix = directory.split(separator: "/").last.map { $0 + infix } ?? infix
    return names.filter { $0.hasPrefix(prefix) }.sorted().map { "\(parent)/\($0)" }
  }

  /// A name beside the directory that nothing has yet.
  static func freeName(_ directory: String, now: Date) throws(StorageError) -> String {
    let second = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    let time = Instant.text(of: second).filter { $0 != "-" && $0 != ":" }
    var name = directory + infix + time
    var number = 1
    while try POSIX.status(name) != nil {
      number += 1
      name = "\(directory)\(infix)\(time)-\(number)"
    }
    return name
  }

  /// Makes a directory beside another one, with a name that nothing had yet.
  static func claimName(_ directory: String, now: Date) throws(StorageError) -> String {
    while true {
      let name = try freeName(directory, now: now)
      if mkdir(name, 0o700) == 0 { return name }
      // Another process was faster.
      guard errno == EEXIST else { throw POSIX.failure("cannot make the directory", name) }
    }
  }
}

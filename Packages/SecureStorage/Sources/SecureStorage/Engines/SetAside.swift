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
    var privacy = PrivateFiles()
    try privacy.prepareDirectory(files.directory)
    for path in [files.lock, files.generation] { _ = try privacy.check(path) }
    let lock = try FileLock(path: files.lock)
    let generations = try GenerationFile(path: files.generation)
    return try lock.withLock(within: .seconds(10)) { () throws(StorageError) in
      let before = generations.stamp
      // Whoever has it open learns it from here, before the next open makes an empty one.
      generations.set(GenerationFile.retired)
      do throws(StorageError) {
        let target = try freeName(files.directory, now: now)
        guard rename(files.directory, target) == 0 else {
          throw POSIX.failure("cannot set aside", files.directory)
        }
        try POSIX.syncDirectory(PrivateFiles.parent(of: files.directory))
        try? renew(StoreFiles(directory: target).generation, before)
        return target
      } catch {
        generations.set(before)
        throw error
      }
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
}

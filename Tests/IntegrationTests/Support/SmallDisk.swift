import Foundation

/// A file system in memory that is soon full, for the length of a test; only root may mount one.
final class SmallDisk: Sendable {
  let path: String

  static let isAvailable: Bool = {
    guard geteuid() == 0, let disk = try? SmallDisk() else { return false }
    return FileManager.default.fileExists(atPath: disk.path)
  }()

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard SmallDisk.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path) else {
      try? FileManager.default.removeItem(atPath: path)
      throw POSIXError(.EPERM)
    }
  }

  deinit {
    _ = SmallDisk.run("umount", "-l", path)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Leaves no byte free, or some, in whole pages.
  func fill(butFor bytes: Int = 0) {
    let file = fopen("\(path)/ballast", "a")
    let block = [UInt8](repeating: 1, count: 512)
    while fwrite(block, 1, block.count, file) == block.count, fflush(file) == 0 {}
    if bytes > 0 { ftruncate(fileno(file), max(0, ftell(file) - bytes)) }
    fclose(file)
  }

  /// Frees what ``fill()`` took.
  func makeRoom() { unlink("\(path)/ballast") }

  /// Keeps everybody from writing to it, or lets them again.
  func setReadOnly(_ isReadOnly: Bool) throws {
    guard SmallDisk.run("mount", "-o", "remount,\(isReadOnly ? "ro" : "rw")", path) else {
      throw POSIXError(.EBUSY)
    }
  }

  private static func run(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

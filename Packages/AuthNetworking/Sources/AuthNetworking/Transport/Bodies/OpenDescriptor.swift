#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The names that a process's open files have: `/dev/fd/3`, `/dev/stdout`, `/proc/self/fd/3`.
enum OpenDescriptor {
  private static let mostLinks = 40

  /// Whether a path leads to its file by way of such a name, directly or through other links.
  ///
  /// Which file that is depends on what this process happens to have open, its own store among it.
  static func isNamed(by path: String) -> Bool {
    #if os(Linux) || os(Android)
    var processes = stat()
    guard stat("/proc/self", &processes) == 0 else { return false }
    var path = path
    for _ in 0..<mostLinks {
      var status = stat()
      guard lstat(path, &status) == 0, let next = link(path) else { return false }
      if status.st_dev == processes.st_dev { return true }
      let parent = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      path = next.hasPrefix("/") ? next : parent + next
    }
    #endif
    return false
  }

  /// Where a link leads, as it is written there; nil where the path is none.
  private static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
    }
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// A directory that the demo's clients live in, and that goes with it.
struct TemporaryHome: Sendable {
  /// The path.
  let path: String

  /// Makes it, for its owner only; nil where the system refuses.
  init?(environment: [String: String]) {
    let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    guard let template = strdup("\(parent)/headless-client-demo.XXXXXX") else { return nil }
    defer { free(template) }
    guard let made = mkdtemp(template) else { return nil }
    path = String(cString: made)
  }

  /// Every file below it, directories left out.
  var files: [String] { TemporaryHome.walk(path).filter { !$0.isDirectory }.map(\.path) }

  /// A file's bytes; empty where it cannot be read.
  static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Removes it with all that is in it.
  func remove() {
    for entry in TemporaryHome.walk(path).reversed() {
      if entry.isDirectory { rmdir(entry.path) } else { unlink(entry.path) }
    }
    rmdir(path)
  }

  /// All that lies below a directory, what holds before what it holds; links are not followed.
  private static func walk(_ directory: String) -> [(path: String, isDirectory: Bool)] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var found: [(path: String, isDirectory: Bool)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      let isDirectory = status.st_mode & S_IFMT == S_IFDIR
      found.append((path, isDirectory))
      if isDirectory { found += walk(path) }
    }
    return found
  }
}

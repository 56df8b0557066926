#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A directory of a test's own, which goes when the test is done.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/headless-client-test.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no temporary directory") }
    path = String(cString: made)
  }

  deinit { removeAll(path) }

  /// Makes a file or gives a directory another mode.
  func setMode(_ mode: UInt32, of name: String = "") { chmod("\(path)/\(name)", mode_t(mode)) }

  /// The mode of what is there; nil where nothing is.
  func mode(of name: String = "") -> UInt32? {
    var status = stat()
    guard lstat("\(path)/\(name)", &status) == 0 else { return nil }
    return UInt32(status.st_mode) & 0o777
  }

  /// The bytes of a file; empty where there is none.
  func bytes(of name: String) -> [UInt8] {
    let descriptor = open("\(path)/\(name)", O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &buffer, buffer.count)
    return Array(buffer[..<max(0, count)])
  }

  /// Writes a file.
  func write(_ text: String, to name: String) {
    guard let file = fopen("\(path)/\(name)", "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  /// Flips bits of one byte of a file.
  func flip(_ mask: UInt8, at place: Int, of name: String) {
    let descriptor = open("\(path)/\(name)", O_RDWR)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    pread(descriptor, &byte, 1, off_t(place))
    byte ^= mask
    pwrite(descriptor, &byte, 1, off_t(place))
  }

  /// Removes what is there.
  func remove(_ name: String) { removeAll("\(path)/\(name)") }

  private func removeAll(_ path: String) {
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { removeAll("\(path)/\(name)") }
      }
      closedir(stream)
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}

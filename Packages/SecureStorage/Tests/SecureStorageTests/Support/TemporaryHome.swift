import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A directory for one test, gone with it.
final class TemporaryHome: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/secure-storage-test-XXXXXX".utf8CString)
    mkdtemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryHome.remove(path) }

  var store: String { path + "/store" }
  var keyFile: String { store + "/store.key" }

  func open(_ options: StoreOptions = StoreOptions()) async throws -> SecureStore {
    try await SecureStore.open(at: store, options: options, vault: FileVault(path: keyFile))
  }

  /// Removes a file of the store.
  func remove(_ name: String) { unlink(store + "/" + name) }

  static func names(in directory: String) -> [String] {
    guard let handle = opendir(directory) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func bytes(of path: String) -> [UInt8] {
    let file = Glibc.open(path, O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer.prefix(count)
    }
  }

  static func write(_ bytes: [UInt8], to path: String) {
    let file = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      guard count > 0 else { return }
      done += count
    }
  }

  /// Overwrites a file where it is: whoever has it open sees that.
  static func overwrite(_ path: String, with bytes: [UInt8]) {
    let file = Glibc.open(path, O_WRONLY)
    defer { close(file) }
    _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
  }

  static func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  static func remove(_ path: String) {
    for name in names(in: path) { remove(path + "/" + name) }
    if rmdir(path) != 0 { unlink(path) }
  }
}

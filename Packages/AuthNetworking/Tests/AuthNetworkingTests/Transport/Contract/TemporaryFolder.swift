#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A directory for one test, with what a test wants to know about its files.
struct TemporaryFolder {
  let path: String

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, over the one that is there.
  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: file(name)))
    return file(name)
  }

  func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: file(name)).map { Array($0) }
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

  /// The names of everything in it, hidden files too.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Who may do what with a file, as in `chmod`.
  func mode(_ name: String) throws -> Int {
    var status = stat()
    guard stat(file(name), &status) == 0 else { throw TestFailure("no file \(name)") }
    return Int(status.st_mode) & 0o777
  }
}

/// Runs a test with a directory that is removed afterwards.
func withTemporaryFolder<Result>(
  _ body: (TemporaryFolder) async throws -> Result
) async throws -> Result {
  let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try await body(TemporaryFolder(path: url.path))
}

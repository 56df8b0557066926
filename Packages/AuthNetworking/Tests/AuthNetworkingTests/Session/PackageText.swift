#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The package's own files, for tests of its documentation.
enum PackageText {
  /// Reads a file below the package.
  static func read(_ path: String) throws -> String {
    var root = #filePath.split(separator: "/")
    root.removeLast(4)
    return try String(contentsOfFile: "/\(root.joined(separator: "/"))/\(path)", encoding: .utf8)
  }
}

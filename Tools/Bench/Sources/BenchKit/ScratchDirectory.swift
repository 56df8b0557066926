import Foundation

/// A directory for one run, removed at its end.
package final class ScratchDirectory: Sendable {
  /// Where it is.
  package let path: String

  /// A new directory in another one.
  ///
  /// - Throws: ``Failure`` where it cannot be made.
  package init(in parent: String) throws {
    var template = Array("\(parent)/bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A path in it.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

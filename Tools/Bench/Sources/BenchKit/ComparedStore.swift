/// A store that does the same work as the others.
package protocol ComparedStore: Sendable {
  /// What it is called in the output.
  static var name: String { get }

  /// Opens the store in a directory that exists, or makes it there.
  ///
  /// - Parameters:
  ///   - directory: Where.
  ///   - cipher: What a store that is made now is sealed with, where it can choose.
  /// - Throws: where it cannot be opened.
  init(directory: String, cipher: String?) async throws

  /// Makes so many entries of ``Workload/tokenBytes``.
  func fill(_ entries: Int) async throws

  /// The bytes of an entry, copied.
  func read(_ key: String) throws -> [UInt8]

  /// Sets some values together, durable when it returns.
  func write(_ values: [(key: String, value: [UInt8])]) async throws
}

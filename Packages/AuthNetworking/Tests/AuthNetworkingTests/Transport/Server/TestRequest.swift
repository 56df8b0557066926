/// A request as it stood on the wire.
struct TestRequest: Sendable {
  /// The request line and the fields, without line breaks.
  var lines: [String]
  var body: [UInt8]
  /// Which of the server's connections it came on, from 0.
  var connection: Int

  var line: String { lines.first ?? "" }

  /// The values of a field, by its lower-case name.
  subscript(name: String) -> [String] {
    lines.dropFirst().compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].lowercased() == name else { return nil }
      return String(parts[1].drop { $0 == " " })
    }
  }

  /// The lower-case names of all fields, sorted.
  var names: [String] {
    lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }.sorted()
  }
}

/// Sequences on the command line.
enum MessageInput {
  /// A sequence, or nil where none was given.
  ///
  /// - Throws: ``ClientError`` of code `usage` for what is none.
  static func sequence(_ text: String?, option: String) throws(ClientError) -> UInt64? {
    guard let text else { return nil }
    guard let number = UInt64(text), number <= UInt64(Int64.max) else {
      throw .usage("--\(option) must be a sequence, a whole number")
    }
    return number
  }

  static func limit(_ text: String?) throws(ClientError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text) else {
      throw .usage("--limit must be a whole number from 1 to 200, not \(text)")
    }
    return number
  }
}

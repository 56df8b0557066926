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
}

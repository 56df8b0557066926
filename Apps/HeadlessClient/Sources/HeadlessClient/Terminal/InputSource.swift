package import SessionModels

/// Where what a person types comes from: the terminal in the program, a script in tests.
package protocol InputSource: Sendable {
  /// Everything on standard input, up to its end.
  ///
  /// - Throws: ``ClientError`` where it cannot be read or is larger than `limit` bytes.
  func standardInput(atMost limit: Int) throws(ClientError) -> [UInt8]

  /// The next line of standard input, as it comes, without its end.
  ///
  /// One task reads at a time. ``standardInput(atMost:)`` is not to be used beside it.
  ///
  /// - Parameter limit: the most bytes of one line.
  /// - Returns: nil at the end of the input, or when the task is cancelled.
  /// - Throws: ``ClientError`` where it cannot be read or the line is longer.
  func nextLine(atMost limit: Int) async throws(ClientError) -> [UInt8]?

  /// Asks a person, who answers with a line; nil where no terminal is there to ask at.
  ///
  /// - Throws: ``ClientError`` where the terminal cannot be read.
  func line(prompt: String) throws(ClientError) -> String?

  /// Asks a person, without showing what is typed; nil where no terminal is there to ask at.
  ///
  /// - Throws: ``ClientError`` where the terminal cannot be read.
  func secret(prompt: String) throws(ClientError) -> Secret?
}

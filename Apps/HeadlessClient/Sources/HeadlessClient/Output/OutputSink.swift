/// Where a command's lines go: the terminal in the program, memory in tests.
package protocol OutputSink: Sendable {
  /// Writes whole lines, waiting where the reader is slow.
  ///
  /// - Returns: nil when all was written, else why not.
  func write(_ bytes: [UInt8], to channel: OutputChannel) -> WriteFailure?
}

/// Why a line could not be written.
package enum WriteFailure: Equatable, Sendable {
  /// The reader has gone, as with `| head -1`.
  case readerIsGone
  /// The file behind the channel takes no more, with the system's words for it.
  case refused(String)
}

/// Results and messages, kept apart so that scripts can read the results.
package enum OutputChannel: Sendable {
  /// Standard output: results only.
  case results
  /// Standard error: errors, notes and progress.
  case messages
}

/// What to do about a failure: words, and where there is one the command that mends it.
struct Remedy: Equatable, Sendable {
  /// What to do, for people.
  var words: String
  /// The line for the shell that mends it; words in capitals are the reader's to fill in.
  var command: String?

  init(_ words: String, run command: String? = nil) {
    self.words = words
    self.command = command
  }

  /// Both in one text.
  var text: String { command.map { "\(words). Run: \($0)" } ?? words }
}

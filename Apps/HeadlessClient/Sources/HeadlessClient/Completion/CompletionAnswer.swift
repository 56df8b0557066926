/// What could stand in the place of a word of a command line that is being typed.
enum CompletionAnswer: Equatable, Sendable {
  /// One of these.
  case words([Candidate])
  /// A path, which the shell knows best how to find.
  case files
  /// The same for a directory.
  case directories

  /// A word, and what it is for.
  struct Candidate: Equatable, Sendable {
    /// The word, from its first letter on.
    var word: String
    /// What it is for, in a few words; empty where the word says it.
    var summary: String
  }

  /// Words that say it themselves.
  static func plain(_ words: [String]) -> CompletionAnswer {
    .words(words.map { Candidate(word: $0, summary: "") })
  }
}

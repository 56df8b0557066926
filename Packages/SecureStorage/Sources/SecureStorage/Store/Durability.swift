/// What a commit has survived once it returns.
public enum Durability: Sendable {
  /// A power cut: each commit is synced to the disk.
  case full
  /// The end of the process, in whatever way.
  ///
  /// After a power cut or a crash of the system the last commits may be missing, all of each or
  /// none, and never in the middle of a history: what is there is a state that once was. Commits
  /// of other processes that ask for ``full``, and those that a vault counts, are durable, and so
  /// is all that was committed before them.
  ///
  /// Nothing is waited for: where nobody else is writing, a transaction runs on the thread that
  /// asks for it, as reads do.
  case normal
}

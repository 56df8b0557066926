/// Whether the app may be suspended.
public enum SuspensionReadiness: Equatable, Sendable {
  /// Nothing is half done: no lock is held, and all that the server answered is stored.
  case ready
  /// Something is, and why: a write that still runs or has failed, or the app that came back.
  ///
  /// An app that is suspended all the same loses nothing that a process which is killed would not:
  /// the attempt is written (R3).
  case notYet(AuthError)
}

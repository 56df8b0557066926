/// What this package needs in order to tell others that the user is writing.
///
/// The app hands in an adapter to its realtime client, or none: then nobody is told.
public protocol TypingSignals: Sendable {
  /// Tells a group, as far as that can be done at once.
  ///
  /// Nothing is kept for later and nothing is repeated: a signal is news or it is nothing. What it
  /// throws is dropped.
  func signalTyping(in group: String) async throws
}

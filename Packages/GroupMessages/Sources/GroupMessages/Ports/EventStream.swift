/// What this package needs of a realtime connection: what happens in a group, as it happens.
///
/// The app hands in an adapter to its realtime client.
public protocol EventStream: Sendable {
  /// The events of a group whose messages have a higher sequence than `after`; 0 is from the
  /// first message on.
  ///
  /// Nothing happens before the first element is asked for. The sequence keeps itself connected
  /// and resumes after what it delivered; messages that come twice or out of order do no harm.
  /// It throws where it cannot go on for good (the group is gone, the session has ended), and
  /// stops when the task that reads it is cancelled. It is read by one task, and should read no
  /// further ahead than a few events, so that a slow reader slows the server down.
  func events(
    group: String,
    after: UInt64
  ) -> any AsyncSequence<GroupEvent, any Error> & Sendable
}

/// Something that a subscription tells about its group.
public enum RealtimeEvent: Hashable, Sendable {
  /// A message; each sequence comes once, in order but for those that fill a gap late.
  case message(RealtimeMessage)

  /// Somebody is typing.
  case typing(userID: String)

  /// The stream lacks the messages between these two sequences, both exclusive.
  ///
  /// It comes right before the message with the sequence `before`. Get them from the history; what
  /// the stream still brings of them comes as ``message(_:)``.
  case gap(after: UInt64, before: UInt64)
}

public import SessionModels

/// Something that happens in a group while one looks on.
public enum GroupEvent: Hashable, Sendable {
  /// A message.
  case message(GroupMessage)
  /// Somebody is writing.
  case typing(UserID)
  /// The messages between two sequences, both exclusive, are not there.
  ///
  /// Coming from an ``EventStream`` it says that the stream lacks them, and ``GroupWatch`` gets
  /// them from the history. Coming from a ``GroupWatch`` it says that the history, asked several
  /// times, does not have them either.
  case gap(after: UInt64, before: UInt64)
}

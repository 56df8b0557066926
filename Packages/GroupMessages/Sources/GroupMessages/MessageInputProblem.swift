/// What is wrong with what the caller gave.
public enum MessageInputProblem: Hashable, Sendable {
  /// A group id that is empty, or that a path cannot carry (`.` and `..`).
  case group
  /// A limit outside ``HistoryQuery/limits``.
  case limit(Int)
  /// A sequence to go back from that is 0 or beyond ``GroupMessage/sequences``.
  case before(UInt64)
  /// A message without text.
  case emptyBody
  /// A message of more bytes than ``Outbox/mostBytes``.
  case longBody(Int)
  /// As many messages of the group wait as ``Outbox/mostUnsent`` says.
  case tooManyUnsent
  /// An empty client message id.
  case emptyClientMessageID

  /// What to tell the user.
  public var message: String {
    switch self {
    case .group: "Not a group id"
    case .limit(let limit):
      "The limit must be \(HistoryQuery.limits.lowerBound) to "
        + "\(HistoryQuery.limits.upperBound), not \(limit)"
    case .before(let sequence): "No message comes before sequence \(sequence)"
    case .emptyBody: "Enter a message"
    case .longBody(let bytes):
      "The message has \(bytes) bytes, and at most \(Outbox.mostBytes) can be kept"
    case .tooManyUnsent:
      "\(Outbox.mostUnsent) messages to this group wait already: send or discard some of them"
    case .emptyClientMessageID: "A client message id must not be empty"
    }
  }
}

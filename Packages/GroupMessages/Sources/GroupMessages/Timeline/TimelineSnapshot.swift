public import SessionModels

/// What a group's conversation looks like at one moment: all that a screen shows.
///
/// Its description leaves out what the messages say.
public struct TimelineSnapshot: Sendable, Hashable {
  /// How far up to date it is.
  public enum Status: Sendable, Hashable {
    /// Nothing was read from the server yet: what is shown was cached.
    case cached
    /// It is what the server has, and follows along.
    case live
    /// The server cannot be asked just now, for this reason; it is tried again by itself.
    case waiting(String)
  }

  /// Who is signed in; nil while that is not known.
  public internal(set) var me: UserID?
  /// The messages that the server has, ascending by sequence, each once.
  public internal(set) var messages: [GroupMessage] = []
  /// The user's own messages that are not among ``messages`` yet, in the order of writing.
  ///
  /// They are shown last. Until the history was read for the first time they may have been sent.
  public internal(set) var unsent: [OwnSend] = []
  /// Why ``unsent`` waits; nil where it is under way, or there is none.
  public internal(set) var unsentWaits: String?
  /// Who is writing just now, in the order of beginning; never the user.
  public internal(set) var typing: [UserID] = []
  /// Whether ``GroupTimeline/loadEarlier(limit:)`` brings more.
  public internal(set) var hasEarlier = true
  /// What lies between ``messages`` and is not there: on its way, or lost by the server.
  public internal(set) var missing: [ClosedRange<UInt64>] = []
  /// How far up to date it is.
  public internal(set) var status = Status.cached

  /// Whether a message is the user's own.
  public func isMine(_ message: GroupMessage) -> Bool { message.senderID == me }
}

extension TimelineSnapshot: CustomStringConvertible, CustomDebugStringConvertible {
  /// How many messages it has, without what they say.
  public var description: String {
    "\(messages.count) messages, \(unsent.count) unsent, \(status)"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

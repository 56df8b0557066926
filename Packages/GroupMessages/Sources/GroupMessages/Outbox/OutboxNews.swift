/// What happened to a group's unsent messages, for timelines and for whoever waits for a send.
struct OutboxNews: Sendable {
  enum Event: Sendable {
    /// One was written, or is sent again.
    case changed
    case sent(_ clientMessageID: String, GroupMessage)
    case refused(_ clientMessageID: String, OutboxEntry.Refusal)
    case discarded(_ clientMessageID: String)
    /// None of them can be sent just now.
    case waiting(MessageError)
    /// There is nothing to do for a sender any more.
    case resting
  }

  let group: String
  /// Whose messages they are: no affair of whoever waits in the period after it (R4).
  let period: SessionPeriod
  let event: Event
}

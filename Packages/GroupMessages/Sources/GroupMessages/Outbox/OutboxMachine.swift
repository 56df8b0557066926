/// When the unsent messages of one group are sent, and what an answer means: the core of
/// ``Outbox``, without clock, network, store or lock.
///
/// Only the oldest message that waits is sent, and the next one not before the server has answered
/// for it. That alone keeps the order, in several processes too: whoever sends a message knows
/// that all before it were answered, and one that two of them send is one message to the server,
/// by its client message id.
struct OutboxMachine: Sendable {
  /// What the shell has to do.
  enum Step: Hashable, Sendable {
    /// Send this, then call ``answered(_:now:chance:)``.
    case send(OutboxEntry)
    /// Nothing before this.
    case wait(until: Duration)
    /// Nothing until a message is written, or answered.
    case rest
  }

  /// What became of a send.
  enum Verdict: Sendable {
    /// The server has it: it leaves the outbox.
    case sent(GroupMessage)
    /// It is refused for good: it stays, as failed.
    case refused(OutboxEntry.Refusal)
    /// It waits, and is sent again by itself.
    case postponed(MessageError)
    /// It waits until somebody begins anew: the user has to act, or the session is over.
    case halted(MessageError)
  }

  /// What the server has asked of everybody.
  struct Pause: Sendable {
    var end: Duration
    var error: MessageError
  }

  private var inFlight: String?
  private var backoff = Backoff()
  private var notBefore = Duration.zero
  private var isHalted = false
  /// Why the last try failed, while another one is waited for.
  private(set) var lastError: MessageError?

  /// What to do now, with what is stored now.
  mutating func step(_ stored: OutboxList, now: Duration) -> Step {
    guard inFlight == nil, !isHalted, let next = stored.next else { return .rest }
    guard notBefore <= now else { return .wait(until: notBefore) }
    inFlight = next.clientMessageID
    return .send(next)
  }

  /// Takes in what came of a send, for better or worse.
  mutating func answered(
    _ result: Result<GroupMessage, MessageError>,
    now: Duration,
    chance: Double
  ) -> Verdict {
    inFlight = nil
    lastError = nil
    switch result {
    case .success(let message):
      backoff.reset()
      return .sent(message)
    case .failure(let error):
      if let refusal = OutboxMachine.refusal(error) {
        backoff.reset()
        return .refused(refusal)
      }
      guard OutboxMachine.passes(error) else {
        isHalted = true
        return .halted(error)
      }
      lastError = error
      notBefore = now + backoff.next(retryAfter: error.retryAfter, chance: chance)
      return .postponed(error)
    }
  }

  /// Waits at least until then, as the server has asked for.
  mutating func pause(_ pause: Pause) {
    guard notBefore < pause.end else { return }
    (notBefore, lastError) = (pause.end, pause.error)
  }

  /// Sends nothing more until somebody begins anew.
  mutating func halt() { isHalted = true }

  /// Begins anew where it was halted; a wait goes on.
  mutating func begin() { isHalted = false }

  /// Tries again now, but not before the end of a pause that the server has asked for.
  mutating func hurry(_ pause: Pause?) {
    backoff.reset()
    notBefore = .zero
    if let pause { self.pause(pause) }
  }

  /// Whether and why the server will never take a message: a 4xx other than 401, 408 and 429,
  /// which are about the moment and not about the message.
  private static func refusal(_ error: MessageError) -> OutboxEntry.Refusal? {
    switch error {
    case .rejected(let rejection)
    where (400..<500).contains(rejection.status) && ![401, 408, 429].contains(rejection.status):
      OutboxEntry.Refusal(status: rejection.status, message: rejection.message)
    case .groupNotFound: OutboxEntry.Refusal(status: 404, message: error.description)
    case .invalidInput(let problem): OutboxEntry.Refusal(status: 0, message: problem.message)
    default: nil
    }
  }

  private static func passes(_ error: MessageError) -> Bool {
    if case .rejected = error { return true }
    return error.isTemporary
  }
}

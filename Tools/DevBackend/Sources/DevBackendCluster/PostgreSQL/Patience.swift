/// How long the answer to a statement is waited for: pure.
///
/// A statement may be slow, but a server that says nothing to anybody, on no connection, stands still
/// or is cut off. So what it said last, to whomever, counts beside how long the statement takes.
struct Patience: Equatable, Sendable {
  /// How long a statement may take.
  let limit: Duration
  /// How long the server may say nothing at all.
  let silence: Duration

  enum Verdict: Equatable, Sendable {
    /// Look again then, if nothing comes before.
    case wait(until: ContinuousClock.Instant)
    /// The server is taken for lost.
    case silent
    /// The statement is given up.
    case tooLong
  }

  /// Whether to wait on.
  ///
  /// - Parameters:
  ///   - sent: when the statement was sent.
  ///   - heard: when the server last said something, on any connection.
  ///   - now: when this is asked.
  /// - Returns: what to do.
  func verdict(
    sent: ContinuousClock.Instant,
    heard: ContinuousClock.Instant,
    at now: ContinuousClock.Instant
  ) -> Verdict {
    let silentAt = max(sent, heard) + silence
    let overAt = sent + limit
    if now >= silentAt { return .silent }
    if now >= overAt { return .tooLong }
    return .wait(until: min(silentAt, overAt))
  }
}

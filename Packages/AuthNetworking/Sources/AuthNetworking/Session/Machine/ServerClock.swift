internal import SecureStorage

/// The server's clock as far as the client knows it (R11): a base, carried on by the monotonic
/// clock, so that setting the device's clock changes nothing.
struct ServerClock: Hashable, Sendable {
  /// The server's seconds since 1970 at the monotonic clock's zero.
  private var base: Double
  /// Whether an answer of this server has said what time it is.
  private(set) var isLearnt = false

  /// Instants outside these are a broken server, not a clock that is off.
  private static let plausible = 946_684_800.0...7_258_118_400.0

  /// A clock that trusts the device until a server says otherwise.
  init(at moment: Moment) {
    base = moment.wall - moment.monotonic.inSeconds
  }

  /// The server's seconds since 1970.
  func now(at monotonic: Duration) -> Double { base + monotonic.inSeconds }

  /// What to add to the device's clock to get the server's; nil while nothing was learnt.
  func offset(at moment: Moment) -> Double? {
    isLearnt ? now(at: moment.monotonic) - moment.wall : nil
  }

  /// The same by the time that the device has been running, for another process; nil where the
  /// device does not say that.
  func anchor(at moment: Moment) -> ServerClockAnchor? {
    moment.uptime.map { uptime in
      ServerClockAnchor(
        start: uptime.start,
        uptime: uptime.seconds,
        serverTime: now(at: moment.monotonic)
      )
    }
  }

  /// Takes over what was stored with the session, unless something newer is known.
  ///
  /// Since the device was started, its clock may have been set; before, only that clock tells how
  /// long ago it was.
  mutating func restore(from record: SessionRecord, at moment: Moment) {
    guard !isLearnt else { return }
    if let anchor = record.serverClockAnchor, let uptime = moment.uptime,
      anchor.start == uptime.start, anchor.uptime <= uptime.seconds,
      ServerClock.plausible.contains(anchor.serverTime)
    {
      base = anchor.serverTime + uptime.seconds - anchor.uptime - moment.monotonic.inSeconds
    } else if let offset = record.serverClockOffset, offset.isFinite {
      base = moment.wall + offset - moment.monotonic.inSeconds
    }
  }

  /// Learns from what an answer says the time is (`Date`, or a token's `iat`; whole seconds).
  mutating func learn(server: Double, sent: Duration, received: Duration) {
    guard ServerClock.plausible.contains(server) else { return }
    let middle = (sent.inSeconds + received.inSeconds) / 2
    let error = server + 0.5 - middle - base
    let uncertainty = 1 + max(0, (received - sent).inSeconds) / 2
    // What lies within the header's own coarseness is no news, and would make the clock jitter.
    if !isLearnt || error.magnitude > uncertainty { base += error }
    isLearnt = true
  }
}

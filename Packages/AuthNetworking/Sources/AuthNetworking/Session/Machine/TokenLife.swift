#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// How long an access token may be used (R11).
struct TokenLife: Hashable, Sendable {
  /// When it ends.
  enum End: Hashable, Sendable {
    /// Nobody knows: it is used until a 401.
    case unknown
    /// This process received it and can count on its own monotonic clock.
    case measured(Duration)
    /// It was stored: the server's seconds since 1970.
    case stamped(Double)
  }

  var end: End
  /// The whole lifetime in seconds; nil where unknown.
  var lifetime: Double?

  /// How long before its end a token is replaced: `min(60 s, a tenth of the lifetime)`.
  private var leeway: Duration {
    Duration(clampedSeconds: min(60, max(0, (lifetime ?? 600) / 10)))
  }

  /// From when on the token is refreshed before a request, on the monotonic clock.
  func freshUntil(by clock: ServerClock) -> Duration { liveUntil(by: clock) - leeway }

  /// From when on the server will refuse it, on the monotonic clock.
  func liveUntil(by clock: ServerClock) -> Duration {
    switch end {
    case .unknown: .seconds(100_000_000_000)
    case .measured(let instant): instant
    case .stamped(let seconds): Duration(clampedSeconds: seconds - clock.now(at: .zero))
    }
  }
}

extension TokenLife {
  /// The life of a token that a store held.
  init(stored info: AuthInfo) {
    end = info.accessTokenExpiresAt.map { .stamped($0.timeIntervalSince1970) } ?? .unknown
    lifetime = info.accessTokenLifetime
  }

  /// The life of a token that has just come.
  ///
  /// By the server's clock, where that and the token agree on what time it is. Where they do not, a
  /// fresh answer shows that a clock lies, not that the token is bad, and what the server says
  /// of the span counts: a refresh would bring another one like it (R12). The answer to a resent
  /// attempt may be the first answer again, whose token has aged meanwhile, and whose span says
  /// nothing of what is left of it (R11); it is refreshed under an attempt of its own.
  ///
  /// - Parameters:
  ///   - token: with `exp` and `iat`, where it can be read.
  ///   - expiresIn: the seconds that the answer says.
  ///   - mayBeOld: whether the answer is to an attempt that was sent before.
  ///   - clock: the server's.
  ///   - moment: now.
  init(
    received token: AccessToken,
    expiresIn: Double?,
    mayBeOld: Bool = false,
    clock: ServerClock,
    at moment: Moment
  ) {
    let expiry = token.expiresAt?.timeIntervalSince1970
    let byClock = expiry.map { $0 - clock.now(at: moment.monotonic) }
    let span = TokenLife.span(of: token)
    end = .unknown
    if mayBeOld, clock.isLearnt, let left = byClock {
      let remaining = min(left, expiresIn ?? left, span ?? left)
      lifetime = span ?? expiresIn ?? max(left, 0)
      end = .measured(moment.monotonic + Duration(clampedSeconds: remaining))
      return
    }
    lifetime = span ?? expiresIn ?? byClock.flatMap { $0 > 0 ? $0 : nil }
    guard let remaining = TokenLife.remaining(byClock: byClock, said: expiresIn, span: span) else {
      return
    }
    end = .measured(moment.monotonic + Duration(clampedSeconds: remaining))
    // What comes with little left is not spent at once: a tenth is of what this client gets.
    if remaining <= leeway.inSeconds { lifetime = remaining }
  }

  /// The whole life of a token by its own claims, in seconds.
  static func span(of token: AccessToken) -> Double? {
    guard let expiry = token.expiresAt, let issued = token.issuedAt, expiry > issued else {
      return nil
    }
    return expiry.timeIntervalSince(issued)
  }

  /// What is left of a token that was made just now, or that the server hands out until its end.
  private static func remaining(byClock: Double?, said: Double?, span: Double?) -> Double? {
    let longest = [said, span].compactMap { $0 }.min()
    guard let byClock else { return longest }
    guard let longest else { return byClock > 0 ? byClock : nil }
    if byClock >= longest { return longest }
    if let said, (byClock - said).magnitude <= coarseness { return max(byClock, min(longest, 1)) }
    // Nearly or quite spent as it comes: the token and the clock disagree.
    let isPlausible = byClock > max(coarseness, said.map { $0 / 10 } ?? 0)
    return isPlausible ? byClock : longest
  }

  /// How many seconds what is measured in whole ones may differ by, and what a token that is good
  /// for anything has left at least.
  private static let coarseness = 5.0
}

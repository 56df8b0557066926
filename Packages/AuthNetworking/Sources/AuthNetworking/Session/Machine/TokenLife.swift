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
  /// A token that looks spent when it arrives shows that a clock lies, not that the token is
  /// bad: it is used until a 401, since a refresh would bring another one like it (R12).
  init(
    received token: AccessToken,
    expiresIn: Double?,
    clock: ServerClock,
    at moment: Moment
  ) {
    let expiry = token.expiresAt?.timeIntervalSince1970
    let byClock = expiry.map { $0 - clock.now(at: moment.monotonic) }
    var span: Double?
    if let expiry, let issued = token.issuedAt?.timeIntervalSince1970, expiry > issued {
      span = expiry - issued
    }
    lifetime = span ?? expiresIn ?? byClock.flatMap { $0 > 0 ? $0 : nil }
    end = .unknown
    guard var remaining = expiresIn ?? byClock else { return }
    if let span, remaining > span || remaining <= leeway.inSeconds { remaining = span }
    if remaining > leeway.inSeconds {
      end = .measured(moment.monotonic + Duration(clampedSeconds: remaining))
    }
  }
}

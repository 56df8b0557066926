import AuthNetworkingTesting
import SessionModels
import SessionModelsTesting
import Testing

@testable import AuthNetworking

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// R11, R12: what is left of a token that has just come, where clocks and answers disagree.
struct TokenLifeTests {
  /// Seconds from now by the server's clock.
  struct Token: Sendable, CustomTestStringConvertible {
    var issued: Double?
    var expires: Double?
    var expiresIn: Double?
    var isResent = false
    /// What is left; nil where it is used until a 401.
    var left: Double?
    /// What a tenth is taken of.
    var lifetime: Double?

    var testDescription: String {
      "iat \(issued as Any), exp \(expires as Any), expires_in \(expiresIn as Any)"
        + (isResent ? ", resent" : "")
    }
  }

  private static let tokens = [
    Token(issued: 0, expires: 900, left: 900, lifetime: 900),
    Token(issued: 0, expires: 900, expiresIn: 900, left: 900, lifetime: 900),
    Token(issued: 0, expires: 900, expiresIn: 300, left: 300, lifetime: 900),
    Token(issued: 0, expires: 300, expiresIn: 900, left: 300, lifetime: 300),
    Token(issued: -1, expires: 2, expiresIn: 3, left: 2, lifetime: 3),
    Token(expires: 900, left: 900, lifetime: 900),
    Token(expiresIn: 900, left: 900, lifetime: 900),
    Token(),
    // A token that the server hands out until it ends: what all else says outweighs its `iat`, and
    // a tenth is of what is left, so that it is not refreshed over and over.
    Token(issued: -860, expires: 40, left: 40, lifetime: 40),
    Token(issued: -860, expires: 40, expiresIn: 40, left: 40, lifetime: 40),
    Token(issued: -890, expires: 10, left: 10, lifetime: 10),
    // Spent as it comes, in a fresh answer: some clock lies.
    Token(issued: -897, expires: 3, left: 900, lifetime: 900),
    Token(issued: -860, expires: 40, expiresIn: 900, left: 900, lifetime: 900),
    Token(issued: -2000, expires: -1100, left: 900, lifetime: 900),
    Token(issued: -2000, expires: -1100, expiresIn: 900, left: 900, lifetime: 900),
    Token(issued: 3600, expires: 4500, left: 900, lifetime: 900),
    Token(expires: -300, expiresIn: 900, left: 900, lifetime: 900),
    Token(expires: -300),
    // The answer to a resent attempt: it may be the first one again.
    Token(issued: 0, expires: 900, expiresIn: 900, isResent: true, left: 900, lifetime: 900),
    Token(issued: -860, expires: 40, expiresIn: 900, isResent: true, left: 40, lifetime: 900),
    Token(issued: -860, expires: 40, isResent: true, left: 40, lifetime: 900),
    Token(
      issued: -2000,
      expires: -1100,
      expiresIn: 900,
      isResent: true,
      left: -1100,
      lifetime: 900
    ),
    Token(issued: 3600, expires: 4500, isResent: true, left: 900, lifetime: 900),
    Token(expiresIn: 900, isResent: true, left: 900, lifetime: 900),
  ]

  private let moment = Moment(monotonic: .seconds(5_000), wall: 1_700_000_000)

  /// A server's clock that is an hour ahead of the device's.
  private var clock: ServerClock {
    var clock = ServerClock(at: moment)
    clock.learn(
      server: moment.wall + 3_599.5,
      sent: moment.monotonic,
      received: moment.monotonic
    )
    return clock
  }

  private func received(_ token: Token, from source: ReceivedToken.Source? = nil) -> ReceivedToken {
    let now = clock.now(at: moment.monotonic)
    let claims = [("iat", token.issued), ("exp", token.expires)]
      .compactMap { name, offset in offset.map { "\"\(name)\":\(now + $0)" } }
    return ReceivedToken(
      generation: 1,
      token: AccessToken(TokenFixtures.jwt(payload: "{\(claims.joined(separator: ","))}")),
      expiresIn: token.expiresIn,
      from: source ?? (token.isResent ? .resentRefresh : .refresh),
      clock: clock,
      at: moment
    )
  }

  @Test(arguments: tokens)
  func `R11: what is left is what the server's clock and its answer say together`(_ token: Token) {
    let life = received(token).life
    let left = life.end == .unknown ? nil : (life.liveUntil(by: clock) - moment.monotonic).inSeconds
    #expect(left.map { ($0 * 100).rounded() / 100 } == token.left)
    #expect(life.lifetime.map { ($0 * 100).rounded() / 100 } == token.lifetime)
  }

  @Test(arguments: tokens)
  func `R12: a fresh answer is never refreshed at once, and another process judges the same`(
    _ token: Token
  ) {
    let received = received(token)
    let now = moment.monotonic
    if !token.isResent { #expect(now < received.life.freshUntil(by: clock)) }
    let stored = TokenLife(stored: received.overlay(Self.info))
    let difference = stored.freshUntil(by: clock) - received.life.freshUntil(by: clock)
    #expect(abs(difference.inSeconds) < 1.01)
  }

  private static let info = AuthInfo(
    session: Session(accessToken: nil, refreshToken: Secret("refresh"), userID: UserID("1")),
    dialect: .skyConnect,
    tokenModel: .accessRefresh,
    baseURL: SessionHarness.baseURL,
    deviceID: .mobileApp
  )

  @Test(arguments: [
    (Token(issued: 0, expires: 900), true),
    (Token(issued: -90, expires: -30), false), (Token(expires: -30), false),
    (Token(issued: -90, expires: -30, expiresIn: 900), false),
    (Token(issued: -895, expires: 5), false),
    (Token(issued: -860, expires: 40, expiresIn: 40), false),
    (Token(issued: -100, expires: 800, expiresIn: 300), true),
    // These clocks disagree.
    (Token(issued: -3600, expires: -2700), true), (Token(issued: 3600, expires: 4500), true),
  ])
  func `R11: the next process refreshes what a sign-in brought nearly spent, and once`(
    _ token: Token,
    isFresh: Bool
  ) {
    for (source, isFresh) in [(ReceivedToken.Source.signIn, isFresh), (.refresh, true)] {
      let stored = TokenLife(stored: received(token, from: source).overlay(Self.info))
      #expect((moment.monotonic < stored.freshUntil(by: clock)) == isFresh)
    }
  }
}

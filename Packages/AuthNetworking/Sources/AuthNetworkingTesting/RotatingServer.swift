#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import AuthNetworking
public import SessionModels
internal import SessionModelsTesting
internal import Synchronization

/// A SkyConnect backend in memory, with rotation and reuse detection, on a virtual clock.
///
/// It resends the answer to a resent attempt (same token, same `X-Request-Id`), and takes every
/// other use of a spent token for theft: the family is revoked, and ``Counts/reuses`` counts it.
public final class RotatingServer: Sendable {
  /// What goes wrong with one refresh.
  public enum Fault: Sendable {
    /// The server answers this and does nothing.
    case answer(status: Int, headers: [String: String] = [:], body: String = "")
    /// The connection breaks before the server has seen anything.
    case lostRequest
    /// The server rotates, and the connection breaks before the answer comes.
    case lostAnswer
    /// The server gives a new access token and no refresh token, and spends nothing.
    case withoutRefreshToken
    /// The server rotates, and gives the same access token again.
    case sameAccessToken
  }

  /// What has happened so far.
  public struct Counts: Equatable, Sendable {
    /// Refreshes that brought a new refresh token; a resent answer is none.
    public var rotations = 0
    /// The `X-Request-Id` of each refresh request, in order.
    public var refreshIDs: [String] = []
    /// How often a spent token came under another id: what must never happen.
    public var reuses = 0
    /// Logouts.
    public var logouts = 0
    /// Logins, refused ones too.
    public var logins = 0
    /// Requests for a resource, whatever their answer.
    public var resources = 0
  }

  /// Who may sign in.
  public static let email = "ada@example.org"
  /// Who may sign in as somebody else.
  public static let otherEmail = "grace@example.org"
  /// With which password, either of them.
  public static let password = Secret("Analytical-Engine-1843")
  /// The server's clock when the virtual clock shows zero, in seconds since 1970.
  public static let epoch = 1_700_000_000.0

  struct State {
    var counts = Counts()
    var faults: [Fault] = []
    var serial = 0
    var families: [Int: Family] = [:]
    var rejectsEveryToken = false
    var issued: [Secret] = []
  }

  struct Family {
    var user = "user-1"
    var access: Secret
    var accessExpiry: Double?
    var refresh: Secret
    var spent: [(token: Secret, requestID: String, answer: HTTPResponse)] = []
    var isRevoked = false
  }

  let state = Mutex(State())
  let clock: any SessionClock
  let accessLifetime: Double?
  /// What login hands out.
  public let tokenModel: TokenModel

  /// A server.
  ///
  /// - Parameters:
  ///   - clock: moves the server's time; its wall clock, the device's, does not.
  ///   - accessLifetime: seconds; nil for opaque access tokens that nobody can read.
  ///   - tokenModel: what login hands out.
  public init(
    clock: any SessionClock,
    accessLifetime: Double? = 900,
    tokenModel: TokenModel = .accessRefresh
  ) {
    self.clock = clock
    self.accessLifetime = accessLifetime
    self.tokenModel = tokenModel
    SecretSweep.made(RotatingServer.password)
  }

  /// What has happened so far.
  public var counts: Counts { state.withLock { $0.counts } }

  /// Every token that was handed out so far, for searching output and files.
  public var issuedTokens: [Secret] { state.withLock { $0.issued } }

  /// The next refreshes go wrong like this, one after the other.
  public func failRefreshes(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  /// From now on every resource answers 401, whatever the token.
  public func rejectEveryToken(_ isOn: Bool = true) {
    state.withLock { $0.rejectsEveryToken = isOn }
  }

  /// How many sessions are not revoked.
  public var livingSessions: Int {
    state.withLock { state in state.families.values.count { !$0.isRevoked } }
  }

  /// Revokes every session.
  public func revokeEverything() {
    state.withLock { state in
      for number in state.families.keys { state.families[number]?.isRevoked = true }
    }
  }

  /// Makes every access token useless that was handed out so far; the refresh tokens live on.
  public func revokeAccessTokens() {
    state.withLock { state in
      for number in state.families.keys { state.families[number]?.access = Secret("") }
    }
  }

  /// The server's clock, in seconds since 1970.
  public var now: Double { RotatingServer.epoch + clock.monotonic() / .seconds(1) }

  /// Signs in without the network: what a store would hold.
  public func signIn(baseURL: String, deviceID: DeviceID) -> AuthInfo {
    let now = now
    let family = state.withLock { state in newFamily(&state, at: now).family }
    return AuthInfo(
      session: Session(
        accessToken: AccessToken(family.access),
        refreshToken: tokenModel == .opaque ? nil : family.refresh,
        userID: UserID("user-1")
      ),
      accessTokenExpiresAt: family.accessExpiry.map { Date(timeIntervalSince1970: $0) },
      accessTokenLifetime: accessLifetime,
      dialect: .skyConnect,
      tokenModel: tokenModel,
      baseURL: baseURL,
      deviceID: deviceID
    )
  }

  /// Answers a request, as ``ScriptedTransport`` wants it.
  ///
  /// - Throws: `TransportError` for an answer that is to be lost.
  public func answer(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
    var answer: HTTPResponse
    let path = String(request.url.path)
    switch path {
    case "/sessions": answer = sessions(request)
    case _ where path.hasPrefix("/sessions/"): answer = revoke(request)
    case "/auth/login", "/auth/register": answer = login(request)
    case "/auth/refresh": answer = try refresh(request)
    case "/auth/logout": answer = logout(request)
    default: answer = resource(request)
    }
    if answer.headers["Date"] == nil { answer.headers["Date"] = RotatingServer.dateHeader(now) }
    return answer
  }
}

import Foundation
import SessionModels
import SessionModelsTesting
import Synchronization

/// A SkyConnect backend in memory that rotates refresh tokens and takes a spent one for theft,
/// with a script in front of it for what should go wrong.
final class RotatingBackend: Sendable {
  fileprivate struct State {
    var currentRefresh = ""
    var validAccess: Set<String> = []
    var serial = 0
    var refreshes = 0
    var reuses = 0
    var answers: [String: String] = [:]
    var everything: [String] = []
  }

  /// What happens to a request before the well-behaved part sees it; nil lets it through.
  typealias Fault = @Sendable (ReceivedRequest) -> Reply?

  private let state = Mutex(State())
  private let faultBox: Mutex<Fault?>
  private let lifetime: Int

  /// How many times the token was rotated.
  var refreshes: Int { state.withLock { $0.refreshes } }

  /// How many times a spent token was presented.
  var reuses: Int { state.withLock { $0.reuses } }

  /// Every secret that was ever handed out.
  var secrets: [String] { state.withLock { $0.everything } }

  /// A backend that hands out tokens.
  ///
  /// - Parameters:
  ///   - lifetime: seconds that an access token of a sign-in lives; negative: already expired.
  ///     Tokens of a refresh live for an hour.
  ///   - fault: what goes wrong.
  init(lifetime: Int = 3600, fault: Fault? = nil) {
    self.lifetime = lifetime
    faultBox = Mutex(fault)
  }

  /// Changes what goes wrong.
  func setFault(_ fault: Fault?) { faultBox.withLock { $0 = fault } }

  /// Makes all access tokens invalid, as if they had expired early.
  func revokeAccessTokens() { state.withLock { $0.validAccess = [] } }

  /// Makes the refresh token invalid, as an administrator does.
  func revokeSession() {
    state.withLock {
      $0.currentRefresh = ""
      $0.validAccess = []
    }
  }

  func listen() throws -> ScriptedBackend {
    try ScriptedBackend { [self] request in
      if let reply = faultBox.withLock({ $0 })?(request) { return reply }
      return answer(request)
    }
  }

  /// The well-behaved part, for faults that happen after the server has committed.
  func answer(_ request: ReceivedRequest) -> Reply {
    switch (request.method, request.path) {
    case ("POST", "/auth/login"), ("POST", "/auth/register"): signIn()
    case ("POST", "/auth/refresh"): refresh(request)
    case ("POST", "/auth/logout"): .json(204, "")
    default: resource(request)
    }
  }

  private func signIn() -> Reply {
    state.withLock { state in
      let (access, refresh) = state.mint(lifetime: lifetime)
      return .json(
        #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","user_id":7,"#
          + #""identity_seed":"seed-\#(state.serial)-0123456789abcdef"}"#
      )
    }
  }

  private func refresh(_ request: ReceivedRequest) -> Reply {
    let presented = request.field("refresh_token") ?? ""
    return state.withLock { state in
      // The same attempt again gets the same answer: the first one was lost.
      let attempt = "\(request.requestID ?? "") \(presented)"
      if let answer = state.answers[attempt] { return .json(answer) }
      guard presented == state.currentRefresh, !presented.isEmpty else {
        state.reuses += 1
        state.currentRefresh = ""
        return .json(401, #"{"error":"invalid_grant"}"#)
      }
      state.refreshes += 1
      let (access, refresh) = state.mint(lifetime: 3600)
      let answer = #"{"access_token":"\#(access)","refresh_token":"\#(refresh)"}"#
      state.answers[attempt] = answer
      return .json(answer)
    }
  }

  private func resource(_ request: ReceivedRequest) -> Reply {
    let isKnown = state.withLock { $0.validAccess.contains(request.bearer ?? "") }
    return isKnown
      ? .json(#"{"id":7,"path":"\#(request.path)"}"#) : .json(401, #"{"error":"expired"}"#)
  }
}

extension RotatingBackend.State {
  fileprivate mutating func mint(lifetime: Int) -> (access: String, refresh: String) {
    serial += 1
    let now = Int(Date().timeIntervalSince1970)
    let access = TokenFixtures.jwt(
      sessionID: "session-\(serial)",
      issuedAt: min(now, now + lifetime) - 60,
      expiresAt: now + lifetime
    ).reveal()
    let refresh = "refresh-\(serial)-\(UUID().uuidString)"
    currentRefresh = refresh
    if lifetime > 0 { validAccess = [access] }
    let made = [access, refresh, "seed-\(serial)-0123456789abcdef"]
    for secret in made { SecretSweep.made(text: secret) }
    everything += made
    return (access, refresh)
  }
}

@testable import AuthNetworking
import SecureStorage
import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What must become of an access token: replaced in time, never lost, and at rest only where asked.
extension ModelWorld {
  /// R11: what is near its end by the server's clock is replaced before the request, and what is not
  /// goes with it at once.
  ///
  /// Judged by what the store says of the token, not by what the machine makes of it.
  mutating func assertAheadOfTimeRule(
    _ event: SessionEvent,
    before: SessionMachine,
    _ effects: [SessionEffect]
  ) {
    guard case .needsToken(let waiter) = event, before.flight == nil, before.absence == nil,
      !before.policy.isReadOnly, before.unsaved == nil,
      before.refusal(at: ModelProcess.moment.monotonic, isDemanded: false) == nil,
      let info = before.session?.info, info.tokenModel == .accessRefresh,
      let end = info.accessTokenExpiresAt, let lifetime = info.accessTokenLifetime
    else { return }
    let left = end.timeIntervalSince1970 - ModelProcess.moment.wall
    let refreshes = effects.contains { effect in
      if case .step(_, .acquireLock) = effect { true } else { false }
    }
    let goesOn = effects.contains { effect in
      if case .resume(waiter, .success(.token)) = effect { true } else { false }
    }
    if left < min(60, lifetime / 10) {
      require("R11: a token near its end was not replaced first", refreshes && !goesOn)
    } else {
      require("R11: a token with time left was held up", goesOn && !refreshes)
    }
  }

  /// A token that this process received is the one that it holds, also where no store has it, and
  /// for as long as its session lives.
  mutating func assertReceivedRule(
    _ event: SessionEvent,
    before: SessionMachine,
    after: SessionMachine
  ) {
    let received: (token: ReceivedToken, outcome: StoreOutcome)?
    switch event {
    case .committed(let flight, let commit, .success(let outcome))
    where before.flight?.id == flight && commit.isStored(in: outcome.written):
      received = (commit.received, outcome)
    case .signedIn(let outcome, .some(let token), _): received = (token, outcome)
    case .reauthenticated(let outcome, .some(let token), _)
    where before.session?.generation == outcome.written.generation:
      received = (token, outcome)
    default: received = nil
    }
    guard let session = after.session else { return }
    if let received, received.outcome.written == received.outcome.latest,
      session.generation == received.token.generation
    {
      require("a token that was received is not held", session.accessToken == received.token.token)
    }
    if let former = before.session, former.generation == session.generation,
      former.accessToken != nil
    {
      require("a session has lost its access token", session.accessToken != nil)
    }
  }

  /// What may be at rest, and whose it is.
  ///
  /// R8 rests on it: a generation has one backend from its sign-in on, so that where a refresh goes
  /// is the same whether it is read with the token or before.
  mutating func assertAtRest(_ record: SessionRecord) {
    guard let info = record.authInfo else { return }
    require(
      "an access token is at rest that is to be kept in memory",
      kind != .memory || info == info.withoutAccessToken
    )
    require(
      "R8: a session has moved to another backend",
      info.baseURL == ModelWorld.baseURL(of: record.generation)
    )
  }
}

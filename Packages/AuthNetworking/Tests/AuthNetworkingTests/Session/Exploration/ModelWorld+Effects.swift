@testable import AuthNetworking
import SecureStorage
import SessionModels

// The shell of the model: gives events to a machine, does what it says, and asserts the rules.
extension ModelWorld {
  mutating func observe(_ index: Int) {
    processes[index].seen = commits
    feed(index, .observed(isLocked ? .failure(ModelWorld.locked) : .success(store)))
  }

  mutating func feed(
    _ index: Int,
    _ event: SessionEvent,
    at moment: Moment = ModelProcess.moment
  ) {
    let chance = Chance(
      attemptID: "x\(attempts)",
      generation: UInt64(1_000 + endings),
      jitter: 0
    )
    let before = processes[index].machine
    let effects = processes[index].machine.handle(event, at: moment, chance: chance)
    assertOldTokenRule(event, before: before, effects)
    assertLateTokensRule(event, before: before, effects)
    assertAheadOfTimeRule(event, before: before, effects)
    assertReceivedRule(event, before: before, after: processes[index].machine)
    if case .committed(let flight, let commit, let result) = event, before.flight?.id == flight {
      if case .failure = result {
        processes[index].unwritten = commit
      } else {
        processes[index].unwritten = nil
      }
    }
    countFruitless(event, before: before, effects, of: index)
    for effect in effects { carryOut(effect, of: index) }
    if processes[index].machine.flight == nil { processes[index].isCatchingUp = false }
    let process = processes[index]
    if let left = process.leftGeneration {
      require("R4: signed in again after a sign-out", process.machine.session?.generation != left)
    }
  }

  /// R7: a 401 to a token that is no longer in use starts nothing.
  private mutating func assertOldTokenRule(
    _ event: SessionEvent,
    before: SessionMachine,
    _ effects: [SessionEffect]
  ) {
    guard case .tokenRefused(_, let token, _) = event, before.flight == nil,
      let current = before.session?.accessToken, current != token,
      before.liveToken(at: ModelProcess.moment.monotonic) != nil
    else { return }
    let startsSomething = effects.contains { effect in
      if case .step = effect { true } else { false }
    }
    require("R7: a 401 to an old token refreshed", !startsSomething)
  }

  private mutating func carryOut(_ effect: SessionEffect, of index: Int) {
    switch effect {
    case .publish, .wakeUp: break
    case .revoke(let info): revoke(info)
    case .unlock(let flight):
      if processes[index].holdsLock == flight { processes[index].holdsLock = nil }
    case .abort(let flight): processes[index].aborted.insert(flight)
    case .abandon(let flight): processes[index].abandoned.insert(flight)
    case .resume(let waiter, let result): resume(waiter, result, of: index)
    case .step(let flight, let step): start(step, flight, of: index)
    }
  }

  /// R4: what came too late to be stored is revoked, and never what is.
  mutating func revoke(_ info: AuthInfo) {
    guard let token = info.session.refreshToken ?? info.session.accessToken?.secret else { return }
    let (family, _) = ModelServer.parts(token)
    let isBeingWiped = processes.contains { process in
      process.pending.contains { item in
        if case .wipe = item { true } else { false }
      }
    }
    require("R4: the session that is stored was revoked", family != owner || isBeingWiped)
    require("R4: the session that the next start finds was revoked", family != replay?.owner)
    require(
      "R8: a token is revoked at another backend",
      info.baseURL == generations[family].map(ModelWorld.baseURL)
    )
    server.families[family].isRevoked = true
  }

  /// R4: tokens that the server issued for a session that is gone do not live on.
  private mutating func assertLateTokensRule(
    _ event: SessionEvent,
    before: SessionMachine,
    _ effects: [SessionEffect]
  ) {
    let isLate: Bool
    switch event {
    case .answered(let flight, .rotated, _): isLate = before.flight?.id != flight
    case .committed(_, let commit, .success(let outcome)):
      isLate =
        !commit.isStored(in: outcome.written)
        && outcome.written.generation != commit.received.generation
    case .committed(let flight, _, .failure): isLate = before.flight?.id != flight
    default: isLate = false
    }
    let isRevoked = effects.contains { effect in
      if case .revoke = effect { true } else { false }
    }
    require("R4: tokens that came too late live on", !isLate || isRevoked)
  }

  /// R12: a server that refuses every token is asked for few new ones.
  private mutating func countFruitless(
    _ event: SessionEvent,
    before: SessionMachine,
    _ effects: [SessionEffect],
    of index: Int
  ) {
    guard case .tokenRefused(_, let token, _) = event, before.acceptedToken != token,
      before.liveToken(at: ModelProcess.moment.monotonic) == token
    else { return }
    for case .step(_, .acquireLock) in effects { processes[index].fruitless += 1 }
    require("R12: fruitless refreshes without end", processes[index].fruitless <= 3)
  }

  private mutating func start(_ step: FlightStep, _ flight: FlightID, of index: Int) {
    let machine = processes[index].machine
    let isReadOnly = machine.policy.isReadOnly
    require("R1: a process refreshes that may not", !isReadOnly)
    switch step {
    case .acquireLock:
      require(
        "a refresh began in the background",
        machine.absence == nil || machine.unsaved != nil
      )
      processes[index].pending.append(.lock(flight))
    case .prepare(let plan): processes[index].pending.append(.prepare(flight, plan))
    case .post(let token, let id, let base):
      let isNeedless = store.authInfo?.session.accessToken.map(server.accepts) ?? false
      require(
        "R2: a token was spent though a usable one is stored",
        !isNeedless || refreshesGoodTokens || processes[index].isCatchingUp
      )
      require("a token was sent in the background", machine.absence == nil)
      require(
        "R8: a refresh token went to another backend",
        base.baseURL == generations[ModelServer.parts(token).family].map(ModelWorld.baseURL)
      )
      require("R1: sent without the lock", processes[index].holdsLock == flight)
      let fingerprint = SecretFingerprint(of: token)
      require(
        "R12: a token was sent before the time that the server had asked for",
        store.attempt?.pause == nil || store.attempt?.fingerprint != fingerprint
      )
      // Where the session has gone in the meantime there is no record left to hold the attempt.
      let isWrittenAhead =
        (store.attempt?.id == id && store.attempt?.fingerprint == fingerprint)
        || store.authInfo?.session.refreshToken != token
      require("R3: sent before the attempt was durable", isWrittenAhead)
      let unwritten = processes[index].unwritten
      require(
        "R3: refreshed again before what had come was written",
        unwritten?.received.generation != store.generation || unwritten?.presented != token
      )
      processes[index].pending.append(.post(flight, token, id: id, base: base))
    case .pause(let write): processes[index].pending.append(.pause(flight, write))
    case .commit(let commit): processes[index].pending.append(.commit(flight, commit))
    case .end(let end): processes[index].pending.append(.end(flight, end))
    }
  }

  private mutating func resume(
    _ waiter: WaiterID,
    _ result: Result<WaiterGrant, AuthError>,
    of index: Int
  ) {
    if processes[index].leaving.remove(waiter) != nil { return assertSettled(result, of: index) }
    guard let isReplay = processes[index].waiting.removeValue(forKey: waiter) else {
      return require("a waiter was resumed twice", false)
    }
    if processes[index].demanding.remove(waiter) != nil { return }
    guard case .success(.token(let token, let generation)) = result else {
      processes[index].sentIn[waiter] = nil
      return assertFailure(result, of: index, isReplay: isReplay)
    }
    let (family, number) = ModelServer.parts(token.secret)
    require(
      "R11: a token that is known to have expired is sent",
      processes[index].machine.liveToken(at: ModelProcess.moment.monotonic) == token
    )
    require("R3: a token left before it was durable", isDurable(token, family, number))
    require("R8: a token goes with another session", generations[family] == generation)
    let first = processes[index].sentIn[waiter] ?? generation
    require("R8: a request is replayed in another session", first == generation)
    processes[index].sentIn[waiter] = generation
    processes[index].pending.append(
      .request(waiter, token, generation: generation, isReplay: isReplay)
    )
  }

  /// Whoever may be suspended holds no lock, and has nothing that is not stored.
  private mutating func assertSettled(
    _ result: Result<WaiterGrant, AuthError>,
    of index: Int
  ) {
    guard case .success = result else { return }
    let process = processes[index]
    require("ready to be suspended with the lock held", process.holdsLock == nil)
    require("ready to be suspended with tokens in memory only", process.machine.unsaved == nil)
    require("ready to be suspended in mid-flight", process.machine.flight == nil)
  }

  /// Where access tokens stay in memory, what came with one is durable.
  private func isDurable(_ token: AccessToken, _ family: Int, _ number: Int) -> Bool {
    guard kind == .memory else { return durable.contains(token.secret.reveal()) }
    return number >= ModelServer.keptNumbers
      || durable.contains(ModelServer.refresh(family, number).reveal())
  }

  /// R11: what fails for now costs no request that a living token would do for.
  ///
  /// R9: no failure says a token.
  private mutating func assertFailure(
    _ result: Result<WaiterGrant, AuthError>,
    of index: Int,
    isReplay: Bool
  ) {
    guard case .failure(let error) = result else { return }
    let machine = processes[index].machine
    let isTemporary = [.network, .server, .timeout, .storage, .suspended].contains(error.code)
    let lives = machine.liveToken(at: ModelProcess.moment.monotonic) != nil
    require("R11: a request failed though its token lives", !(isTemporary && lives && !isReplay))
    require("R9: an error names a token", !error.message.contains("a."))
  }
}

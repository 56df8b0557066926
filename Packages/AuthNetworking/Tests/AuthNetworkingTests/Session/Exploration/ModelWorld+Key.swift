@testable import AuthNetworking
import SecureStorage
import SessionModels

// Equal worlds have equal keys. A million worlds are told apart by them, so they are hashed from
// numbers and bytes, without a string in between.
extension ModelWorld {
  var key: Int {
    var hasher = Hasher()
    hasher.combine(budget)
    hasher.combine(server)
    hasher.combine(durable)
    hasher.combine(owner)
    hasher.combine(isLocked)
    hasher.combine(generations)
    hasher.combine(record: store)
    hasher.combine(replay?.owner)
    hasher.combine(
      unordered: ghosts.map { ghost in
        Hasher.digest {
          $0.combine(secret: ghost.token); $0.combine(ghost.id)
        }
      }
    )
    for process in processes { process.hash(into: &hasher, isCurrent: process.seen == commits) }
    return hasher.finalize()
  }
}

extension ModelProcess {
  func hash(into hasher: inout Hasher, isCurrent: Bool) {
    hash(machine, into: &hasher)
    hasher.combine(isCurrent)
    hasher.combine(holdsLock != nil)
    hasher.combine(leftGeneration)
    hasher.combine(leaving)
    hasher.combine(isCatchingUp)
    hasher.combine(machine.absence?.since)
    hasher.combine(secret: machine.absence?.token?.secret)
    hasher.combine(machine.flight?.isAbandoned)
    hasher.combine(demanding)
    hasher.combine(sentIn)
    hasher.combine(fruitless)
    hasher.combine(secret: unwritten?.received.token.secret)
    hasher.combine(
      unordered: pending.map { item in Hasher.digest { hash(item, into: &$0) } }
    )
    hasher.combine(
      unordered: waiting.map { waiter in
        Hasher.digest {
          $0.combine(waiter.key); $0.combine(waiter.value)
        }
      }
    )
  }

  private func hash(_ machine: SessionMachine, into hasher: inout Hasher) {
    switch machine.held {
    case .unknown: hasher.combine(0)
    case .signedOut(let reason, let generation):
      hasher.combine(1)
      hasher.combine(reason)
      hasher.combine(generation)
    case .signedIn(let session):
      hasher.combine(2)
      hasher.combine(session.generation)
      hasher.combine(session.isStale)
      hasher.combine(session.life)
      hasher.combine(secret: session.accessToken?.secret)
      hasher.combine(secret: session.refreshToken)
    }
    if let flight = machine.flight {
      hasher.combine(flight.generation)
      hasher.combine(flight.stage)
      hasher.combine(flight.wasResent)
      hasher.combine(flight.attemptID)
      hasher.combine(secret: flight.replaces?.secret)
      for waiter in flight.waiters {
        hasher.combine(waiter.id)
        hasher.combine(waiter.acceptsLiveToken)
        hasher.combine(secret: waiter.refused?.secret)
      }
    }
    switch machine.unsaved {
    case .rotation(let commit): hash(commit, into: &hasher)
    case .end(let end): hasher.combine(end.generation)
    case nil: hasher.combine(false)
    }
    hasher.combine(secret: machine.received?.token.secret)
    hasher.combine(secret: machine.acceptedToken?.secret)
    hasher.combine(machine.signedOutGeneration)
    hasher.combine(machine.storedPause == nil)
    hasher.combine(machine.backoffError?.retryAfter == nil)
  }

  private func hash(_ commit: RotationCommit, into hasher: inout Hasher) {
    hasher.combine(commit.received.generation)
    hasher.combine(secret: commit.presented)
    hasher.combine(secret: commit.refreshToken)
    hasher.combine(secret: commit.received.token.secret)
    hasher.combine(commit.attemptID)
    hasher.combine(commit.answeredAt)
  }

  /// Flights are told apart by whether they are current.
  private func hash(_ flight: FlightID, into hasher: inout Hasher) {
    hasher.combine(machine.flight?.id == flight)
    hasher.combine(aborted.contains(flight))
    hasher.combine(abandoned.contains(flight))
    hasher.combine(holdsLock == flight)
  }

  private func hash(_ item: Pending, into hasher: inout Hasher) {
    switch item {
    case .lock(let flight):
      hasher.combine(0)
      hash(flight, into: &hasher)
    case .prepare(let flight, let plan):
      hasher.combine(1)
      hash(flight, into: &hasher)
      hash(plan, into: &hasher)
    case .prepared(let flight, let plan, let result):
      hasher.combine(2)
      hash(flight, into: &hasher)
      hash(plan, into: &hasher)
      hasher.combine(result: result)
    case .post(let flight, let token, let id, _):
      hasher.combine(3)
      hash(flight, into: &hasher)
      hasher.combine(secret: token)
      hasher.combine(id)
    case .answer(let flight, let answer, _):
      hasher.combine(4)
      hash(flight, into: &hasher)
      hash(answer, into: &hasher)
    case .commit(let flight, let commit):
      hasher.combine(5)
      hash(flight, into: &hasher)
      hash(commit, into: &hasher)
    case .committed(let flight, let commit, let result):
      hasher.combine(6)
      hash(flight, into: &hasher)
      hash(commit, into: &hasher)
      hasher.combine(result: result)
    case .end(let flight, let end):
      hasher.combine(7)
      hash(flight, into: &hasher)
      hasher.combine(end.generation)
      hasher.combine(secret: end.refused)
    case .ended(let flight, let end, let result):
      hasher.combine(8)
      hash(flight, into: &hasher)
      hasher.combine(end.generation)
      hasher.combine(result: result)
    case .request(let waiter, let token, let generation, let isReplay):
      hasher.combine(9)
      hasher.combine(waiter)
      hasher.combine(secret: token.secret)
      hasher.combine(generation)
      hasher.combine(isReplay)
    case .unauthorized(let waiter, let token, let generation):
      hasher.combine(10)
      hasher.combine(waiter)
      hasher.combine(secret: token.secret)
      hasher.combine(generation)
    case .wipe: hasher.combine(11)
    case .pause(let flight, let write):
      hasher.combine(15)
      hash(flight, into: &hasher)
      hasher.combine(secret: write.presented)
    case .paused(let flight, let write, let result):
      hasher.combine(16)
      hash(flight, into: &hasher)
      hasher.combine(secret: write.presented)
      hasher.combine(result: result)
    case .signIn(let over, let signOuts):
      hasher.combine(12)
      hasher.combine(over)
      hasher.combine(self.signOuts == signOuts)
    case .reauthenticate(let generation, let signOuts):
      hasher.combine(13)
      hasher.combine(generation)
      hasher.combine(self.signOuts == signOuts)
    case .logOut(let family):
      hasher.combine(14)
      hasher.combine(family)
    case .settle(let succession):
      hasher.combine(17)
      hasher.combine(succession.oldGeneration)
      hasher.combine(secret: succession.new.session.refreshToken)
    }
  }

  private func hash(_ plan: RefreshPlan, into hasher: inout Hasher) {
    hasher.combine(plan.generation)
    hasher.combine(secret: plan.knownAccessToken?.secret)
  }

  private func hash(_ answer: RefreshAnswer, into hasher: inout Hasher) {
    switch answer {
    case .rotated(let access, let refresh, _):
      hasher.combine(secret: access.secret)
      hasher.combine(secret: refresh)
    case .refused(let reason, _): hasher.combine(reason)
    case .temporary: hasher.combine(false)
    }
  }
}

extension Hasher {
  static func digest(_ body: (inout Hasher) -> Void) -> Int {
    var hasher = Hasher()
    body(&hasher)
    return hasher.finalize()
  }

  /// What stands in no order of its own.
  mutating func combine(unordered digests: [Int]) {
    combine(digests.count)
    combine(digests.reduce(0, &+))
  }

  mutating func combine(secret: Secret?) {
    combine(secret == nil)
    secret?.withBytes { combine(bytes: $0) }
  }

  mutating func combine(record: SessionRecord) {
    combine(record.generation)
    combine(record.signOutReason)
    combine(record.attempt?.id)
    combine(record.attempt?.pause == nil)
    combine(record.attempt?.lateCopies?.isAnswered)
    combine(record.attempt?.fingerprint.hex)
    combine(secret: record.authInfo?.session.accessToken?.secret)
    combine(secret: record.authInfo?.session.refreshToken)
  }

  mutating func combine(result: Result<SessionRecord, StorageError>) {
    if case .success(let record) = result { combine(record: record) } else { combine(false) }
  }
}

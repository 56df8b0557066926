@testable import AuthNetworking
import SecureStorage
import SessionModels

// Everything that may happen next.
extension ModelWorld {
  private static let full = StorageError(.io, "The disk is full", advice: "Free some")

  /// Every world that one more step leads to.
  var successors: [ModelWorld] {
    var worlds: [ModelWorld] = []
    func add(_ change: (inout ModelWorld) -> Void) {
      var world = self
      change(&world)
      world.assertRules()
      worlds.append(world)
    }
    func spend(_ item: WritableKeyPath<Budget, Int>, _ change: (inout ModelWorld) -> Void) {
      guard budget[keyPath: item] > 0 else { return }
      add { world in
        world.budget[keyPath: item] -= 1
        change(&world)
      }
    }
    for index in processes.indices {
      for position in processes[index].pending.indices {
        advance(index, position, add: add, spend: spend)
      }
      if processes[index].seen != commits { add { $0.observe(index) } }
      spend(\.requests) { $0.startRequest(index) }
      if kind != .opaque { spend(\.demands) { $0.demand(index) } }
      spend(\.crashes) { $0.crash(index) }
      spend(\.signOuts) { $0.signOut(index) }
      spend(\.signIns) { world in
        let process = world.processes[index]
        world.processes[index].pending.append(
          .signIn(over: world.store.generation, signOuts: process.signOuts)
        )
      }
      if let session = processes[index].machine.session {
        spend(\.reauthentications) { world in
          let signOuts = world.processes[index].signOuts
          world.processes[index].pending.append(
            .reauthenticate(session.generation, signOuts: signOuts)
          )
        }
      }
      if processes[index].machine.absence == nil {
        spend(\.absences) { $0.leave(index, forLong: false) }
        spend(\.absences) { $0.leave(index, forLong: true) }
      } else {
        add { $0.comeBack(index) }
      }
      for waiter in processes[index].leaving {
        add { $0.feed(index, .resignationDue(waiter)) }
      }
      for waiter in processes[index].waiting.keys {
        spend(\.cancellations) { $0.cancel(waiter, of: index) }
      }
    }
    for position in ghosts.indices {
      add { world in
        let ghost = world.ghosts.remove(at: position)
        _ = world.server.refresh(ghost.token, id: ghost.id)
      }
    }
    if isLocked { add { $0.setLocked(false) } } else { spend(\.lockings) { $0.setLocked(true) } }
    spend(\.expiries) { $0.server.expireAccessTokens() }
    spend(\.revocations) { world in
      for family in world.server.families.indices { world.server.families[family].isRevoked = true }
    }
    return worlds
  }

  private func advance(
    _ index: Int,
    _ position: Int,
    add: ((inout ModelWorld) -> Void) -> Void,
    spend: (WritableKeyPath<Budget, Int>, (inout ModelWorld) -> Void) -> Void
  ) {
    let item = processes[index].pending[position]
    func take(_ change: @escaping (inout ModelWorld) -> Void) -> (inout ModelWorld) -> Void {
      { world in
        world.processes[index].pending.remove(at: position)
        change(&world)
      }
    }
    func put(_ next: ModelProcess.Pending) -> (inout ModelWorld) -> Void {
      take { $0.processes[index].pending.append(next) }
    }
    switch item {
    case .lock(let flight):
      if processes[index].abandoned.contains(flight) {
        add(take { $0.feed(index, .lockFailed(flight, AuthError(.cancelled, "Given up"))) })
      }
      guard processes.allSatisfy({ $0.holdsLock == nil }) else { return }
      add(
        take { world in
          world.processes[index].holdsLock = flight
          world.feed(index, .lockAcquired(flight))
        }
      )
      let busy = AuthError(RefreshLockError(.busy, "Somebody else refreshes"))
      spend(\.busyLocks, take { $0.feed(index, .lockFailed(flight, busy)) })
    case .prepare(let flight, let plan):
      guard !isLocked else { return add(put(.prepared(flight, plan, .failure(ModelWorld.locked)))) }
      add(
        take { world in
          if let next = plan.change(world.store) {
            world.attempts += 1
            world.write(next)
          }
          world.processes[index].pending.append(.prepared(flight, plan, .success(world.store)))
        }
      )
      spend(\.storageFailures, put(.prepared(flight, plan, .failure(ModelWorld.full))))
      spend(
        \.storageFailures,
        take { world in
          if let next = plan.change(world.store) {
            world.attempts += 1
            world.write(next)
          }
          world.processes[index].pending.append(.prepared(flight, plan, .failure(ModelWorld.full)))
        }
      )
    case .prepared(let flight, let plan, let result):
      add(take { $0.report(index, result) { .prepared(flight, plan, $0) } })
    case .post(let flight, let token, let id, let base):
      let failure = RefreshAnswer.temporary(AuthError(.network, "Lost"))
      add(
        take { world in
          let answer = world.server.refresh(token, id: id)
          world.processes[index].pending.append(.answer(flight, answer, base: base))
        }
      )
      spend(
        \.lostMessages,
        take { world in
          _ = world.server.refresh(token, id: id)
          world.processes[index].pending.append(.answer(flight, failure, base: base))
        }
      )
      spend(\.lostMessages, put(.answer(flight, failure, base: base)))
      // Late: nobody waits any more, and the server gets it all the same.
      spend(
        \.lostMessages,
        take { world in
          world.ghosts.append((token, id))
          world.processes[index].pending.append(.answer(flight, failure, base: base))
        }
      )
      spend(
        \.pauses,
        take { world in
          let busy = AuthError(.rateLimited, "Busy", status: 429, retryAfter: .seconds(60))
          world.processes[index].pending.append(.answer(flight, .temporary(busy), base: base))
        }
      )
      spend(
        \.keptTokens,
        take { world in
          let answer = world.server.refreshKeepingToken(token, id: id)
          world.processes[index].pending.append(.answer(flight, answer, base: base))
        }
      )
      // Given up: nobody waits, but the request may still be on its way.
      func giveUp(_ answer: RefreshAnswer) {
        add(
          take { world in
            world.ghosts.append((token, id))
            world.processes[index].pending.append(.answer(flight, answer, base: base))
          }
        )
      }
      if processes[index].aborted.contains(flight) { giveUp(failure) }
      if processes[index].abandoned.contains(flight) { giveUp(.temporary(.inBackground)) }
    case .answer(let flight, let answer, let base):
      add(take { $0.feed(index, .answered(flight, answer, base: base)) })
    case .pause(let flight, let write):
      guard !isLocked else { return add(put(.paused(flight, write, .failure(ModelWorld.locked)))) }
      add(
        take { world in
          if let next = write.change(world.store) { world.write(next) }
          world.processes[index].pending.append(.paused(flight, write, .success(world.store)))
        }
      )
    case .paused(let flight, let write, let result):
      add(take { $0.report(index, result) { .paused(flight, write, $0) } })
    case .commit(let flight, let commit):
      guard !isLocked else {
        return add(put(.committed(flight, commit, .failure(ModelWorld.locked))))
      }
      add(
        take { world in
          if let next = commit.change(world.store) { world.write(next) }
          world.processes[index].pending.append(.committed(flight, commit, .success(world.store)))
        }
      )
      spend(\.storageFailures, put(.committed(flight, commit, .failure(ModelWorld.full))))
      spend(
        \.storageFailures,
        take { world in
          if let next = commit.change(world.store) { world.write(next) }
          let failed = Result<SessionRecord, StorageError>.failure(ModelWorld.full)
          world.processes[index].pending.append(.committed(flight, commit, failed))
        }
      )
    case .committed(let flight, let commit, let result):
      add(take { $0.report(index, result) { .committed(flight, commit, $0) } })
    case .end(let flight, let end):
      guard !isLocked else { return add(put(.ended(flight, end, .failure(ModelWorld.locked)))) }
      add(
        take { world in
          if let next = end.change(world.store) { world.end(end, next) }
          world.processes[index].pending.append(.ended(flight, end, .success(world.store)))
        }
      )
      spend(\.storageFailures, put(.ended(flight, end, .failure(ModelWorld.full))))
      spend(
        \.storageFailures,
        take { world in
          if let next = end.change(world.store) { world.end(end, next) }
          world.processes[index].pending.append(.ended(flight, end, .failure(ModelWorld.full)))
        }
      )
    case .ended(let flight, let end, let result):
      add(take { $0.report(index, result) { .ended(flight, end, $0) } })
    case .request(let waiter, let token, let generation, let isReplay):
      let isAccepted = server.accepts(token)
      if isAccepted || isReplay {
        add(
          take { world in
            if isAccepted { world.processes[index].machine.accepted(token) }
            world.processes[index].sentIn[waiter] = nil
          }
        )
        if isAccepted, !isReplay {
          spend(\.rejections, put(.unauthorized(waiter, token, generation: generation)))
        }
      } else {
        add(put(.unauthorized(waiter, token, generation: generation)))
      }
    case .unauthorized(let waiter, let token, let generation):
      add(
        take { world in
          world.observe(index)
          world.processes[index].waiting[waiter] = true
          world.feed(index, .tokenRefused(waiter, token, generation: generation))
        }
      )
    case .wipe:
      add(
        take { world in
          world.endings += 1
          world.owner = nil
          world.write(
            SessionRecord(
              generation: UInt64(500 + world.endings),
              authInfo: nil,
              signOutReason: .userRequested
            )
          )
          world.observe(index)
        }
      )
    case .signIn(let over, let signOuts):
      add(take { $0.signIn(index, over: over, signOuts: signOuts) })
      for fate in CommitFate.allCases {
        spend(
          \.storageFailures,
          take { $0.signIn(index, over: over, signOuts: signOuts, failing: fate) }
        )
      }
    case .reauthenticate(let generation, let signOuts):
      // It takes the refresh lock for as long as it writes.
      guard processes.allSatisfy({ $0.holdsLock == nil }) else { return }
      add(take { $0.reauthenticate(index, generation, signOuts: signOuts) })
      for fate in CommitFate.allCases {
        spend(
          \.storageFailures,
          take { $0.reauthenticate(index, generation, signOuts: signOuts, failing: fate) }
        )
      }
    case .settle(let succession):
      guard !isLocked else { return }
      add(take { $0.settle(index, succession) })
    case .logOut(let family):
      add(take { $0.server.families[family].isRevoked = true })
    }
  }
}

@testable import AuthNetworking
import SecureStorage
import SessionModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What becomes of a commit that fails.
enum CommitFate: CaseIterable {
  case lost, stored
  /// No read shows it, the next start replays it, and another commit overwrites it.
  case replayed
}

// What the steps do to the world, and what must hold after each.
extension ModelWorld {
  static let locked = StorageError(.vaultLocked, "The vault is locked", advice: "Unlock it")

  /// Every process is told of either.
  mutating func setLocked(_ locked: Bool) {
    isLocked = locked
    commits += 1
  }

  mutating func write(_ record: SessionRecord) {
    store = record
    replay = nil
    commits += 1
    assertAtRest(record)
    noteDurable()
  }

  mutating func report(
    _ index: Int,
    _ result: Result<SessionRecord, StorageError>,
    as event: (Result<StoreOutcome, StorageError>) -> SessionEvent
  ) {
    guard !isLocked else { return feed(index, event(.failure(ModelWorld.locked))) }
    if case .success = result { processes[index].seen = commits }
    let latest = store
    feed(index, event(result.map { StoreOutcome(written: $0, latest: latest) }))
  }

  mutating func startRequest(_ index: Int) {
    waiters += 1
    let waiter = WaiterID(number: waiters)
    observe(index)
    processes[index].waiting[waiter] = false
    feed(index, .needsToken(waiter))
  }

  mutating func demand(_ index: Int) {
    waiters += 1
    let waiter = WaiterID(number: waiters)
    observe(index)
    processes[index].waiting[waiter] = false
    processes[index].demanding.insert(waiter)
    feed(index, .refreshDemanded(waiter))
  }

  /// The app goes to the background, where it stays for a moment or for long.
  mutating func leave(_ index: Int, forLong: Bool) {
    waiters += 1
    let waiter = WaiterID(number: waiters)
    processes[index].leaving.insert(waiter)
    var moment = ModelProcess.moment
    if forLong { moment.monotonic -= .seconds(15 * 60) }
    feed(index, .willResignActive(waiter), at: moment)
  }

  mutating func comeBack(_ index: Int) {
    waiters += 1
    let waiter = WaiterID(number: waiters)
    observe(index)
    processes[index].waiting[waiter] = false
    // Also of a flight that is under way: it may have to begin again.
    processes[index].isCatchingUp = true
    feed(index, .didBecomeActive(waiter))
    require("somebody waits for the background in the foreground", processes[index].leaving.isEmpty)
  }

  /// R10: the waiter ends at once, and the refresh goes on.
  mutating func cancel(_ waiter: WaiterID, of index: Int) {
    let flight = processes[index].machine.flight?.id
    feed(index, .waiterCancelled(waiter))
    require("R10: a cancelled waiter goes on waiting", processes[index].waiting[waiter] == nil)
    require("R10: cancelling stopped the refresh", processes[index].machine.flight?.id == flight)
  }

  /// SIGKILL: what was sent is on its way, everything else is gone.
  mutating func crash(_ index: Int) {
    for case .post(_, let token, let id, _) in processes[index].pending {
      ghosts.append((token, id))
    }
    processes[index] = ModelProcess(policy: processes[index].machine.policy)
    if let replay {
      owner = replay.owner
      write(replay.record)
    }
    observe(index)
  }

  mutating func signOut(_ index: Int) {
    processes[index].signOuts += 1
    processes[index].leftGeneration = processes[index].machine.session?.generation
    processes[index].pending.append(.wipe)
    feed(index, .signedOut(.userRequested))
  }

  mutating func signIn(
    _ index: Int,
    over former: UInt64,
    signOuts: Int,
    failing fate: CommitFate? = nil
  ) {
    guard processes[index].signOuts == signOuts, store.generation == former, !isLocked else {
      return
    }
    server.families.append(ModelServer.Family())
    let family = server.families.count - 1
    let generation = UInt64(100 + family)
    generations[family] = generation
    let record = SessionRecord(
      generation: generation,
      authInfo: ModelWorld.info(kind, family: family, number: 0, generation: generation),
      signOutReason: .never
    )
    if let fate, let new = record.authInfo {
      let succession = SessionSuccession(
        oldGeneration: former,
        old: store.authInfo,
        newGeneration: generation,
        new: new
      )
      return fail(index, record, succession, fate, owner: family)
    }
    owner = family
    write(record)
    let token = ReceivedToken(
      generation: record.generation,
      token: ModelServer.access(family, 0),
      expiresIn: nil,
      from: .signIn,
      clock: processes[index].machine.clock,
      at: ModelProcess.moment
    )
    processes[index].seen = commits
    let outcome = StoreOutcome(written: record, latest: record)
    feed(index, .signedIn(outcome, token, volatile: nil))
  }

  /// New tokens of the same session, as one write.
  mutating func reauthenticate(
    _ index: Int,
    _ generation: UInt64,
    signOuts: Int,
    failing fate: CommitFate? = nil
  ) {
    server.families.append(ModelServer.Family())
    let family = server.families.count - 1
    guard processes[index].signOuts == signOuts, store.generation == generation, !isLocked,
      let session = store.authInfo?.session,
      let old = session.refreshToken ?? session.accessToken?.secret
    else { return processes[index].pending.append(.logOut(family)) }
    var record = store
    generations[family] = generation
    record.authInfo = ModelWorld.info(kind, family: family, number: 0, generation: generation)
    record.attempt = nil
    if let fate, var new = record.authInfo {
      new.authenticatedAt = Date(timeIntervalSince1970: Double(family))
      record.authInfo = new
      let succession = SessionSuccession(
        oldGeneration: generation,
        old: store.authInfo,
        newGeneration: generation,
        new: new
      )
      return fail(index, record, succession, fate, owner: family)
    }
    owner = family
    write(record)
    let token = ReceivedToken(
      generation: generation,
      token: ModelServer.access(family, 0),
      expiresIn: nil,
      from: .signIn,
      clock: processes[index].machine.clock,
      at: ModelProcess.moment
    )
    processes[index].seen = commits
    let outcome = StoreOutcome(written: record, latest: record)
    feed(index, .reauthenticated(outcome, token, volatile: nil))
    processes[index].pending.append(.logOut(ModelServer.parts(old).family))
  }

  /// The commit of a new session fails, and the next write or start shows what became of it.
  private mutating func fail(
    _ index: Int,
    _ record: SessionRecord,
    _ succession: SessionSuccession,
    _ fate: CommitFate,
    owner family: Int
  ) {
    switch fate {
    case .lost: break
    case .stored:
      owner = family
      write(record)
    case .replayed: replay = (record, family)
    }
    processes[index].pending.append(.settle(succession))
  }

  /// A write succeeds, and what the store does not hold is revoked.
  mutating func settle(_ index: Int, _ succession: SessionSuccession) {
    if let record = succession.confirmation(store) { write(record) }
    observe(index)
    for info in succession.toRevoke(leaving: store) { revoke(info) }
  }

  mutating func end(_ end: SessionEnd, _ record: SessionRecord) {
    let (family, _) = ModelServer.parts(end.refused)
    require("R5: ended though the server refused nothing", server.families[family].isRevoked)
    endings += 1
    owner = nil
    write(record)
  }

  /// What must hold in every world.
  mutating func assertRules() {
    require("R2: a spent token was presented again", !server.sawReuse)
    let posts = processes.map { process in
      process.pending.count { item in
        if case .post = item { true } else { false }
      }
    }
    require("R1: two refreshes at once", posts.reduce(0, +) <= 1)
    require("R1: two hold the lock", processes.count { $0.holdsLock != nil } <= 1)
    for machine in processes.map(\.machine) {
      if let flight = machine.flight {
        let refused = flight.waiters.count { $0.refused != nil }
        require("who knows a refused token is miscounted", flight.refusedCount == refused)
      }
      let session = machine.session
      require(
        "R8: the owner is another session's",
        machine.owner?.generation == session?.generation
          && machine.owner?.baseURL == session?.info.baseURL
      )
    }
    if let session = store.authInfo?.session,
      let token = session.refreshToken ?? session.accessToken?.secret
    {
      require(
        "R4: a session came back, or another user's was overwritten",
        ModelServer.parts(token).family == owner
      )
    }
    // A presentation is a refresh that a request wanted, a lost one again, or one that died.
    let most = 2 * waiters + 2 * processes.count
    require("R12: more refreshes than requests wanted", server.presentations <= most)
    for process in processes where process.pending.isEmpty {
      let isCurrent = process.seen == commits && !isLocked
      require(
        "R14: a session is held that is not stored, or the other way round",
        !isCurrent || (process.machine.session != nil) == (store.authInfo != nil)
      )
      require("a waiter waits for nothing", process.waiting.isEmpty && process.leaving.isEmpty)
      require("a flight flies without anybody", process.machine.flight == nil)
      require("R1: the lock was not given back", process.holdsLock == nil)
    }
  }
}

@testable import AuthNetworking
import SecureStorage
import SessionModels

/// One process: its machine, and everything that it has started and that has not come back.
struct ModelProcess {
  /// Something that was started, in one of its moments.
  enum Pending {
    case lock(FlightID)
    case prepare(FlightID, RefreshPlan)
    case prepared(FlightID, RefreshPlan, Result<SessionRecord, StorageError>)
    case post(FlightID, Secret, id: String, base: AuthInfo)
    case answer(FlightID, RefreshAnswer, base: AuthInfo)
    case commit(FlightID, RotationCommit)
    case committed(FlightID, RotationCommit, Result<SessionRecord, StorageError>)
    case end(FlightID, SessionEnd)
    case ended(FlightID, SessionEnd, Result<SessionRecord, StorageError>)
    /// A request on its way, for the first or the second time.
    case request(WaiterID, AccessToken, generation: UInt64, isReplay: Bool)
    /// Its 401.
    case unauthorized(WaiterID, AccessToken, generation: UInt64)
    case wipe
    /// A sign-in whose answer is here, with what was stored when it began.
    case signIn(over: UInt64, signOuts: Int)
  }

  var machine: SessionMachine
  var pending: [Pending] = []
  /// Who waits, and whether it is for a replay.
  var waiting: [WaiterID: Bool] = [:]
  var aborted: Set<FlightID> = []
  var holdsLock: FlightID?
  var signOuts = 0
  /// How many commits of the store it has been told of.
  var seen = 0
  /// The generation that it signed out.
  var leftGeneration: UInt64?

  init() { machine = ModelProcess.freshMachine() }

  static let moment = Moment(monotonic: .seconds(1_000), wall: 1_700_000_000)

  static func freshMachine() -> SessionMachine {
    SessionMachine(backoff: RefreshBackoff(base: .zero), at: moment)
  }
}

extension ModelProcess.Pending {
  /// A text that is equal for what is equal; flights are told apart by whether they are current.
  func key(in process: ModelProcess) -> String {
    func flight(_ id: FlightID) -> String {
      (process.machine.flight?.id == id ? "c" : "z") + (process.aborted.contains(id) ? "a" : "")
        + (process.holdsLock == id ? "L" : "")
    }
    func stored(_ result: Result<SessionRecord, StorageError>) -> String {
      (try? result.get()).map(ModelWorld.key) ?? "failed"
    }
    switch self {
    case .lock(let id): return "lock\(flight(id))"
    case .prepare(let id, let plan):
      return "prep\(flight(id))\(plan.generation)\(ModelWorld.key(plan.knownAccessToken))"
    case .prepared(let id, let plan, let result):
      return "preped\(flight(id))\(ModelWorld.key(plan.knownAccessToken))\(stored(result))"
    case .post(let id, let token, let attempt, _):
      return "post\(flight(id))\(token.reveal())\(attempt)"
    case .answer(let id, let answer, _): return "answ\(flight(id))\(ModelWorld.key(answer))"
    case .commit(let id, let commit): return "comm\(flight(id))\(ModelWorld.key(commit))"
    case .committed(let id, let commit, let result):
      return "commed\(flight(id))\(ModelWorld.key(commit))\(stored(result))"
    case .end(let id, let end): return "end\(flight(id))\(end.generation)\(end.refused.reveal())"
    case .ended(let id, let end, let result):
      return "ended\(flight(id))\(end.generation)\(stored(result))"
    case .request(let waiter, let token, let generation, let isReplay):
      return "req\(waiter.number)\(token.secret.reveal()),\(generation)\(isReplay)"
    case .unauthorized(let waiter, let token, let generation):
      return "401\(waiter.number)\(token.secret.reveal()),\(generation)"
    case .wipe: return "wipe"
    case .signIn(let over, let signOuts): return "login\(over),\(process.signOuts == signOuts)"
    }
  }
}

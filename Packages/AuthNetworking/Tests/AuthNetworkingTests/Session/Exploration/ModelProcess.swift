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
    case pause(FlightID, PauseWrite)
    case paused(FlightID, PauseWrite, Result<SessionRecord, StorageError>)
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
    /// A confirmed password whose answer is here, with what was signed in when it was asked.
    case reauthenticate(UInt64, signOuts: Int)
    /// The logout of a family that was replaced.
    case logOut(Int)
    /// A new session of which nobody knows yet whether it is stored.
    case settle(SessionSuccession)
  }

  var machine: SessionMachine
  var pending: [Pending] = []
  /// Who waits, and whether it is for a replay.
  var waiting: [WaiterID: Bool] = [:]
  var aborted: Set<FlightID> = []
  var abandoned: Set<FlightID> = []
  /// Who waits until the app may be suspended.
  var leaving: Set<WaiterID> = []
  /// Whether the refresh that is under way is of a token that may still live.
  var isCatchingUp = false
  var holdsLock: FlightID?
  var signOuts = 0
  /// How many commits of the store it has been told of.
  var seen = 0
  /// The generation that it signed out.
  var leftGeneration: UInt64?

  /// Who asked for a refresh, and sends nothing afterwards.
  var demanding: Set<WaiterID> = []
  /// Whose first request was sent in which session.
  var sentIn: [WaiterID: UInt64] = [:]
  /// Refreshes of a token that no request was ever accepted with, though it should live.
  var fruitless = 0
  /// What it received and could not write yet.
  var unwritten: RotationCommit?

  init(policy: SessionMachine.Policy) { machine = ModelProcess.freshMachine(policy) }

  static let moment = Moment(monotonic: .seconds(1_000), wall: 1_700_000_000)

  static func freshMachine(_ policy: SessionMachine.Policy) -> SessionMachine {
    SessionMachine(policy: policy, backoff: RefreshBackoff(base: .zero), at: moment)
  }
}

internal import SecureStorage
internal import SessionModels

/// Names one caller that waits for a token.
struct WaiterID: Hashable, Sendable {
  var number: Int
}

/// Names one run of the refresh, so that what comes late is known for what it is.
struct FlightID: Hashable, Sendable {
  var number: Int
}

/// What the store said to a write, and what it holds by the time the machine hears of it.
struct StoreOutcome: Equatable, Sendable {
  /// The record as the transaction left it.
  var written: SessionRecord
  /// The last commit; another process may have come after the transaction.
  var latest: SessionRecord
}

/// Everything that can happen to a session.
enum SessionEvent: Sendable {
  /// The store was read.
  case observed(Result<SessionRecord, StorageError>)
  /// A request needs a token.
  case needsToken(WaiterID)
  /// A request got a 401 with this token, of this generation where known.
  case tokenRefused(WaiterID, AccessToken, generation: UInt64?)
  /// Somebody wants a refresh now, whether or not the token is fresh.
  case refreshDemanded(WaiterID)
  /// A caller's task was cancelled.
  case waiterCancelled(WaiterID)
  /// The refresh lock is held.
  case lockAcquired(FlightID)
  /// The refresh lock was busy or could not be taken.
  case lockFailed(FlightID, AuthError)
  /// The attempt is durable, or was not needed.
  case prepared(FlightID, RefreshPlan, Result<StoreOutcome, StorageError>)
  /// The server answered, or did not.
  case answered(FlightID, RefreshAnswer, base: AuthInfo)
  /// The pause that the server asked for is durable, or could not be written.
  case paused(FlightID, PauseWrite, Result<StoreOutcome, StorageError>)
  /// The rotated tokens are durable, or could not be written.
  case committed(FlightID, RotationCommit, Result<StoreOutcome, StorageError>)
  /// The end is durable, or could not be written.
  case ended(FlightID, SessionEnd, Result<StoreOutcome, StorageError>)
  /// A write that failed is due again.
  case retryDue
  /// A sign-in was stored. `volatile` is the session where nothing of it is kept at rest.
  case signedIn(StoreOutcome, ReceivedToken?, volatile: AuthInfo?)
  /// New tokens for the session that is signed in were stored, with the same generation.
  case reauthenticated(StoreOutcome, ReceivedToken?, volatile: AuthInfo?)
  /// What took the lock beside the refresh has given it back.
  case turnEnded(FlightID)
  /// The app goes to the background; the waiter is told when nothing is half done.
  case willResignActive(WaiterID)
  /// The app cannot stay awake for any longer.
  case resignationDue(WaiterID)
  /// The app is in the foreground again; the waiter gets a token, as a request would.
  case didBecomeActive(WaiterID)
  /// Somebody signs out.
  case signedOut(SignOutReason)
}

/// Everything that the shell does for the machine.
enum SessionEffect: Sendable {
  /// Carry out the next step of a refresh, and report it.
  case step(FlightID, FlightStep)
  /// Give the refresh lock back, where it is held.
  case unlock(FlightID)
  /// Stop waiting for the server: nobody wants the answer any more.
  case abort(FlightID)
  /// Stop waiting for the lock or the server, and report that: the attempt stays open.
  case abandon(FlightID)
  /// Let a waiter go on.
  case resume(WaiterID, Result<WaiterGrant, AuthError>)
  /// Tell the observers.
  case publish(SessionState)
  /// Revoke tokens that belong to no stored session, as far as the server can be reached.
  case revoke(AuthInfo)
  /// Send ``SessionEvent/retryDue`` after this time.
  case wakeUp(after: Duration)
}

/// One step of a refresh.
enum FlightStep: Sendable {
  /// Take the lock, within the deadline.
  case acquireLock
  /// Read the store and make the attempt durable.
  case prepare(RefreshPlan)
  /// Ask the server: the point of no return.
  case post(Secret, attemptID: String, base: AuthInfo)
  /// Tell other processes to leave the server alone.
  case pause(PauseWrite)
  /// Make the answer durable.
  case commit(RotationCommit)
  /// Make the end durable.
  case end(SessionEnd)
}

/// What a waiter gets.
enum WaiterGrant: Equatable, Sendable {
  /// A token to send, and the generation that it belongs to.
  case token(AccessToken, generation: UInt64)
  /// Nothing would change: the answer that the waiter has is the answer.
  case unchanged
  /// Nothing is half done: the app may be suspended.
  case settled
}

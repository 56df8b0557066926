internal import Dispatch

/// What tests and demonstrations may see and do behind the clients' backs.
///
/// It works while the backend that it came from is started.
public struct BackendInspector: Sendable {
  let core: BackendCore

  /// One session, as the server sees it.
  public struct Session: Equatable, Sendable {
    /// The session's id, `sid` in its access tokens.
    public let id: String
    /// Whose it is.
    public let userID: String
    /// The device that it is bound to; nil in KSN.
    public let deviceID: String?
    /// What its client said at sign-in.
    public let userAgent: String?
    /// How often its refresh token was rotated.
    public let rotations: Int
    /// How often a concurrent request got an access token only.
    public let graceAnswers: Int
    /// How often a lost answer was sent again.
    public let resends: Int
    /// Why it ended; nil while it lives.
    public let ending: RevocationReason?
  }

  /// How many accounts there are.
  public func userCount() async throws(BackendError) -> Int {
    try await ask { try UserTable.count($0) }
  }

  /// All sessions of a user, ended ones too, oldest first.
  ///
  /// - Parameter login: the user's name or e-mail address; an unknown one has no sessions.
  /// - Returns: what the server knows about each.
  /// - Throws: ``BackendError`` where the database fails.
  public func sessions(of login: String) async throws(BackendError) -> [Session] {
    let records = try await ask { connection in
      guard let id = try Self.userID(login, connection) else { return [SessionRecord]() }
      return try FamilyTable.sessions(ofUser: id, connection)
    }
    return records.map { record in
      Session(
        id: record.id,
        userID: record.userID,
        deviceID: record.deviceID,
        userAgent: record.userAgent,
        rotations: record.generation,
        graceAnswers: record.graceAnswers,
        resends: record.resends,
        ending: record.revocation
      )
    }
  }

  /// How many requests a route served since the start, whatever the answer: `POST /auth/refresh`.
  public func requestCount(_ route: String) -> Int { core.faults.requests(route) }

  /// How many realtime streams are open.
  public var openStreamCount: Int { core.hub.count }

  /// Ends a session as an operator would, at once, its open streams too.
  public func revokeSession(_ id: String) async throws(BackendError) {
    let now = core.time.now
    let revoked = try await ask { connection in
      try FamilyTable.revoke([id], reason: .revoked, now: now, connection)
    }
    core.publish(revoked, core.log(requestID: nil))
  }

  /// Takes every access token made until now for expired; refresh tokens stay good.
  public func expireAccessTokens() {
    core.faults.endAccessTokens(now: core.time.now)
    core.hub.recheck()
  }

  /// Looks after the signing keys as the backend does every few seconds, by its clock.
  ///
  /// - Parameters:
  ///   - rotating: whether a new key is announced, even where none is due.
  ///   - revokingOld: whether a new key signs at once, and every token that an older one signed is
  ///     refused: for a key that somebody else has.
  public func maintainSigningKeys(rotating: Bool = false, revokingOld: Bool = false) async {
    let wish: SigningKeys.Wish = revokingOld ? .newKeyOnly : rotating ? .newKey : .nothing
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        core.maintainKeys(wish)
        continuation.resume()
      }
    }
  }

  /// Closes the connection, instead of answering, after each of the next refreshes succeeded.
  public func loseNextRefreshAnswers(_ count: Int = 1) { core.faults.loseRefreshAnswers(count) }

  /// Adds faults to what goes wrong already.
  ///
  /// - Throws: ``FaultPlanError`` where there are too many; nothing is added then.
  public func addFaults(_ plan: FaultPlan) throws(FaultPlanError) {
    let log = core.log(requestID: nil)
    for happening in try core.operations.faults.add(plan) {
      FaultHand(core: core).carryOut(happening, log)
    }
  }

  /// Ends all faults, a skew of the clock too, but for what has happened already.
  public func clearFaults() { FaultHand(core: core).replace(FaultPlan(), core.log(requestID: nil)) }

  /// The token of `/admin`; whoever has it can make requests fail.
  public var adminToken: String { core.operations.access.adminToken }

  /// What follows `#` in the address of the page that shows sessions.
  public var inspectorToken: String { core.operations.access.inspectorToken }

  /// Moves the server's clock, for tokens and the `Date` header alike.
  public func advanceClock(by duration: Duration) {
    core.time.advance(by: duration.milliseconds)
    core.hub.recheck()
  }

  /// Sets what the student verification would set.
  ///
  /// - Parameters:
  ///   - login: the user's name or e-mail address; an unknown one changes nothing.
  ///   - isVerified: whether the user sees other users' grade and school.
  ///   - grade: nil for none on file.
  ///   - school: nil for none on file.
  /// - Throws: ``BackendError`` where the database fails.
  public func setStudent(
    _ login: String,
    isVerified: Bool,
    grade: String?,
    school: String?
  ) async throws(BackendError) {
    try await ask { connection in
      guard let id = try Self.userID(login, connection) else { return }
      try UserTable.setStudent(
        id,
        isVerified: isVerified,
        grade: grade,
        school: school,
        connection
      )
    }
  }

  private static func userID(_ login: String, _ connection: any SQLConnection) throws -> String? {
    try UserTable.login(identifier: login, byUsername: true, connection)?.user.id
  }

  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (any SQLConnection) throws -> Answer
  ) async throws(BackendError) -> Answer {
    do {
      return try await core.database.perform(question)
    } catch let error as BackendError {
      throw error
    } catch {
      throw BackendError(.database, "\(error)")
    }
  }
}

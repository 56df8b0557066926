/// What both servers and the inspector work on: the database, the keys, the clock.
final class BackendCore: Sendable {
  let configuration: BackendConfiguration
  let time: ServerTime
  let database: Database
  let hash: KeyedHash
  let tokens: AccessTokenCoder
  let passwords: PasswordHasher
  let denyList: DenyList
  let hub = EventHub()
  let faults: FaultSwitches

  /// Opens the database and reads the keys; blocks.
  init(
    _ configuration: BackendConfiguration,
    time: ServerTime,
    faults: FaultSwitches
  ) throws(BackendError) {
    guard Entropy.prepare() else {
      throw BackendError(.entropy, "the operating system gives no random bytes")
    }
    self.configuration = configuration
    (self.time, self.faults) = (time, faults)
    passwords = PasswordHasher(cost: configuration.passwordCost)
    let database = try Database(path: configuration.database)
    self.database = database
    let now = time.now
    do {
      let (key, keys, denied) = try database.transaction { connection in
        try GroupTable.create(GroupService.general, now: now, connection)
        return (
          try SecretTable.hashKey(connection),
          try SecretTable.signingKeys(connection, now: now),
          try FamilyTable.denied(now: now, connection)
        )
      }
      hash = KeyedHash(key: key)
      tokens = AccessTokenCoder(active: keys[0], keys: keys)
      denyList = DenyList(denied)
    } catch let error as BackendError {
      throw error
    } catch {
      throw BackendError(.database, "cannot prepare the database: \(error)")
    }
  }

  func log(requestID: String?) -> RequestLog {
    RequestLog(requestID: requestID, time: time, sink: configuration.log)
  }

  /// Makes a revocation known to whoever checks tokens or has a stream open.
  func publish(_ revoked: [Revoked], _ log: RequestLog) {
    guard !revoked.isEmpty else { return }
    denyList.insert(revoked, now: time.now)
    hub.end(revoked)
    for session in revoked {
      log("session.ended", ["sid": session.sessionID, "reason": session.reason.rawValue])
    }
  }
}

internal import Synchronization

/// What both servers and the inspector work on: the database, the keys, the clock.
final class BackendCore: Sendable {
  let configuration: BackendConfiguration
  let time: ServerTime
  let database: Database
  let hash: KeyedHash
  let keys: SigningKeys
  let passwords: PasswordHasher
  let denyList: DenyList
  let sessionCache: Mutex<SessionCache>
  let logins: LoginLimiter
  let sightings = Mutex(SessionSightings())
  let hub = EventHub()
  let faults: FaultSwitches
  let operations: Operations
  private let bus: any InstanceBus
  private let relay: JournalRelay
  private let isDeaf = Atomic(false)
  // Nil where no other instance can change the database.
  private let watch: DatabaseWatch?
  private let upkeep = RepeatingTimer()

  /// Opens the database and reads the keys; blocks.
  init(
    _ configuration: BackendConfiguration,
    time: ServerTime,
    faults: FaultSwitches,
    bus: any InstanceBus
  ) throws(BackendError) {
    guard Entropy.prepare() else {
      throw BackendError(.entropy, "the operating system gives no random bytes")
    }
    self.configuration = configuration
    operations = try Operations(configuration)
    (self.time, self.faults, self.bus) = (time, faults, bus)
    relay = JournalRelay { bus.publish(.events($0)) }
    sessionCache = Mutex(
      SessionCache(
        lifetime: min(
          configuration.sessionCacheLifetime.milliseconds,
          configuration.touchInterval
        )
      )
    )
    passwords = PasswordHasher(cost: configuration.passwordCost)
    let database = try Database(configuration.engine())
    self.database = database
    let (now, begun) = (time.now, ContinuousClock.now)
    do {
      let (key, look, denied) = try database.transaction { connection in
        // Of instances that start together the first one makes the key.
        try connection.lockSchema()
        try GroupTable.create(GroupService.general, now: now, connection)
        return (
          try SecretTable.hashKey(connection),
          // Before the list of those that ended: one too many does no harm.
          try DatabaseLook.taken(
            after: try FamilyTable.lastRevocation(connection),
            connection
          ),
          try FamilyTable.denied(now: now, connection)
        )
      }
      hash = KeyedHash(key: key)
      logins = LoginLimiter(
        attemptsPerMinute: configuration.loginRate,
        hash: hash,
        shared: try configuration.sharedAttempts()
      )
      denyList = DenyList(denied)
      watch = database.isShared ? DatabaseWatch(database, first: look, begun: begun) : nil
      keys = SigningKeys(configuration)
      try keys.update(in: database, now: now)
      if configuration.rotatesSigningKey { try keys.update(.newKey, in: database, now: now) }
    } catch let error as BackendError {
      throw error
    } catch {
      throw BackendError(.database, "cannot prepare the database: \(error)")
    }
    watch?.start { [weak self] news in self?.hear(news) }
    bus.join { [weak self] news in self?.hear(news) ?? true }
    upkeep.start(every: SigningKeys.period) { [weak self] in
      self?.maintainKeys()
      self?.writeSightings()
    }
  }

  /// Closes the database, and hears of no revocation any more; blocks.
  func close() {
    upkeep.stop()
    writeSightings()
    watch?.stop()
    relay.tell()
    bus.leave()
    logins.close()
    database.close()
  }

  func log(requestID: String?) -> RequestLog {
    RequestLog(requestID: requestID, time: time) { [operations, relay] line in
      operations.note(line)
      relay.note(line)
    }
  }

  /// Makes, drops and reads signing keys as is due or wished for; blocks.
  ///
  /// - Throws: ``BackendError`` where the database fails; the keys in use then stay.
  func changeKeys(_ wish: SigningKeys.Wish, _ log: RequestLog) throws {
    let changes = try keys.update(wish, in: database, now: time.now)
    for id in changes.made { log("key.made", ["kid": id]) }
    for id in changes.dropped { log("key.dropped", ["kid": id]) }
  }

  /// The same, where nobody waits for it: the next time makes good for a database that fails.
  func maintainKeys(_ wish: SigningKeys.Wish = .nothing) {
    let log = log(requestID: nil)
    do {
      try changeKeys(wish, log)
    } catch {
      log("key.upkeep.failed", level: .error, ["error": "\(error)"])
    }
  }

  /// Writes down when sessions were last seen; blocks.
  func writeSightings() {
    let seen = sightings.withLock { $0.take() }
    guard !seen.isEmpty else { return }
    do {
      try database.transaction { try FamilyTable.see(seen, $0) }
    } catch {
      // They are written with the next ones.
      sightings.withLock { sightings in
        for (id, instant) in seen { sightings.note(id, at: instant) }
      }
      log(requestID: nil)("session.upkeep.failed", level: .error, ["error": "\(error)"])
    }
  }

  /// Whether every revocation of the last second is known; while it is not, no token is let in
  /// unasked.
  var hearsRevocations: Bool { !isCutOff && watch?.isFresh ?? true }

  /// Whether the bus or the shared database is lost; then no token is let in, and streams end.
  var isCutOff: Bool { isDeaf.load(ordering: .acquiring) || watch?.isBlind ?? false }

  /// Looks for revocations of other instances, where that was not done within the last second;
  /// blocks.
  ///
  /// - Throws: ``BackendError`` where the database fails: then nobody is let in.
  func catchUp() throws { try watch?.catchUp() }

  /// The same for callers that must not block.
  func catchUp() async throws { try await watch?.catchUp() }

  /// Makes new messages known to every open stream, here and on other instances.
  func announceMessages(in group: String) {
    hub.messagesArrived(in: group)
    bus.publish(.messages(group: group))
  }

  /// Shows everybody else that somebody types, here and on other instances.
  func announce(_ signal: TypingSignal, from sender: Mailbox) {
    hub.typing(signal, from: sender)
    bus.publish(.typing(signal))
  }

  /// Makes a revocation known to whoever checks tokens or has a stream open, here before this
  /// returns, and on every other instance.
  func publish(_ revoked: [Revoked], _ log: RequestLog) {
    guard !revoked.isEmpty else { return }
    end(revoked)
    bus.publish(.revoked(revoked))
    for session in revoked {
      log("session.ended", ["sid": session.sessionID, "reason": session.reason.rawValue])
    }
  }

  private func hear(_ news: DatabaseWatch.News) {
    switch news {
    case .revoked(let revoked): end(revoked)
    case .messages(let group): hub.messagesArrived(in: group)
    case .blind:
      log(requestID: nil)("database.lost", level: .error)
      hub.recheck()
    }
  }

  /// Acts on news from the bus; false where the database could not be asked for what was missed.
  private func hear(_ news: InstanceNews) -> Bool {
    switch news {
    case .revoked(let revoked): end(revoked)
    case .messages(let group): hub.messagesArrived(in: group)
    case .typing(let signal): hub.typing(signal)
    case .events(let notes): operations.journal.hear(notes)
    case .deaf:
      guard !isDeaf.exchange(true, ordering: .acquiringAndReleasing) else { break }
      log(requestID: nil)("bus.lost", level: .error)
      hub.recheck()
    case .hearing:
      let now = time.now
      guard let missed = try? database.transaction({ try FamilyTable.denied(now: now, $0) })
      else { return false }
      end(missed)
      bus.restore(missed)
      isDeaf.store(false, ordering: .releasing)
      log(requestID: nil)("bus.joined")
      // Streams look for the messages that they were not told of.
      hub.recheck()
    }
    return true
  }

  private func end(_ revoked: [Revoked]) {
    denyList.insert(revoked, now: time.now)
    sessionCache.withLock { cache in
      for session in revoked { cache.remove(session: session.sessionID) }
    }
    hub.end(revoked)
  }
}

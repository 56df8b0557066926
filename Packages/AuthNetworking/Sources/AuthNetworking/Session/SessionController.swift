public import SecureStorage
public import SessionModels
internal import Synchronization

/// The session of one user with one backend: signs in, keeps the access token fresh, sends
/// authenticated requests, signs out.
///
/// ```swift
/// let controller = SessionController(configuration: configuration, storage: storage,
///   transport: try CurlTransport(), lock: FlockRefreshLock(path: lockPath))
/// _ = try await controller.login(Credentials(identifier: email, password: password))
/// let answer = try await controller.send(APIRequest(.get, "/auth/me"))
/// ```
///
/// Any number of controllers, in this and other processes, may share one stored session: they
/// refresh once between them (R1), and see one another's sign-ins and sign-outs. What is decided
/// is decided by a pure machine; this class only carries it out. All members may be used from
/// any task.
public final class SessionController: Sendable {
  let configuration: SessionConfiguration
  let storage: any SessionStorage
  let transport: any HTTPTransport
  let lock: any RefreshLock
  let clock: any SessionClock
  let randomness: SessionRandomness
  /// Takes log entries; nil for nobody, so that none is written.
  let log: SessionLog?
  /// What would be worked out again for each request.
  let credentialPaths: CredentialPaths
  let apiBase: HTTPURL?
  let baseText: String
  let commonHeaders: [(name: String, value: String)]

  /// Everything that changes; held for moments only, never across I/O.
  struct Core {
    var machine: SessionMachine
    var waiters: [WaiterID: FirstResult<Result<WaiterGrant, AuthError>>] = [:]
    var waiterCount = 0
    /// States that observers have not been told yet.
    var unpublished: [SessionState] = []
    var locks: [FlightID: any HeldRefreshLock] = [:]
    var aborts: [FlightID: @Sendable () -> Void] = [:]
    /// The request id of the last refresh that was sent, for the log: what cannot be stored yet is
    /// its answer.
    var attemptID: String?
    /// How to stop waiting for a flight's lock or answer.
    var abandons: [FlightID: @Sendable () -> Void] = [:]
    /// What is still under way so that no token lives on that came too late to be stored.
    var revocations: [Int: Task<Bool, Never>] = [:]
    var revocationCount = 0
  }

  let core: Mutex<Core>
  /// Serialises "read the store, tell the machine", so that no older record comes after a newer.
  let storeOrder = Mutex(())
  /// Counts sign-outs, so that a sign-in that was under way then stores nothing (R4).
  let signOuts = Atomic<Int>(0)
  private let broadcaster = StateBroadcaster()
  private let observation = Mutex<Task<Void, Never>?>(nil)

  /// A controller on a stored session; reads it, and sends nothing.
  ///
  /// - Parameters:
  ///   - configuration: which backend, and how.
  ///   - storage: where the session is stored.
  ///   - transport: what carries HTTP.
  ///   - lock: what keeps others who share the storage from refreshing at the same time.
  ///   - clock: the device's clocks.
  ///   - randomness: where ids come from.
  ///   - log: takes log entries; by default nobody does.
  public init(
    configuration: SessionConfiguration,
    storage: any SessionStorage,
    transport: any HTTPTransport,
    lock: any RefreshLock,
    clock: any SessionClock = SystemClock(),
    randomness: SessionRandomness = .system,
    log: SessionLog? = nil
  ) {
    self.configuration = configuration
    self.storage = storage
    self.transport = transport
    self.lock = lock
    self.clock = clock
    self.randomness = randomness
    self.log = log
    credentialPaths = CredentialPaths(configuration.dialect, base: configuration.baseURL)
    apiBase = try? configuration.dialect.apiBase(configuration.baseURL)
    baseText = configuration.baseURL.text
    commonHeaders = [
      ("X-Client-Type", "mobile"), ("X-Client-Version", configuration.clientVersion),
      ("User-Agent", configuration.userAgent),
    ]
    let policy = SessionMachine.Policy(
      isReadOnly: configuration.refreshPolicy == .readOnly,
      keepsAccessTokenInMemory: configuration.accessTokenStorage == .memory,
      longAbsence: configuration.longAbsence
    )
    core = Mutex(Core(machine: SessionMachine(policy: policy, at: clock.moment)))
    readStore()
    observeStore()
  }

  deinit { observation.withLock { $0?.cancel() } }

  /// The state that observers were told last; synchronous, and never waits for anything.
  public var state: SessionState { core.withLock { $0.machine.published } }

  /// Who is signed in, with the tokens that this process has; nil when nobody is.
  public var authInfo: AuthInfo? { core.withLock { $0.machine.session?.info } }

  /// Names the session that is signed in, for ``APIRequest/sessionGeneration``; nil when nobody is.
  public var sessionGeneration: UInt64? { core.withLock { $0.machine.owner?.generation } }

  /// The present state first, then each change in order (R13), other processes' changes too.
  public func states() -> AsyncStream<SessionState> {
    broadcaster.stream { nextUnpublished() }
  }
}

// The machine's hands and ears.
extension SessionController {
  /// Gives the machine an event, and does what it says.
  func feed(_ event: SessionEvent) { perform(decide(event)) }

  private func decide(_ event: SessionEvent) -> [SessionEffect] {
    let moment = clock.moment
    let chance = randomness.chance
    return core.withLock { core in
      let effects = core.machine.handle(event, at: moment, chance: chance)
      for case .publish(let state) in effects { core.unpublished.append(state) }
      return effects
    }
  }

  /// Called with no lock held, since it runs the log handler.
  private func perform(_ effects: [SessionEffect]) {
    // Before anybody is let go on, so that the reason stands in a log before what comes of it.
    for case .publish(let state) in effects { note(.info, "The session is \(state)") }
    for effect in effects { carryOut(effect) }
    broadcaster.deliver { nextUnpublished() }
  }

  /// Reads the last commit and tells the machine.
  func readStore() {
    perform(storeOrder.withLock { _ in decide(.observed(readRecord())) })
  }

  /// Tells the machine about a write, together with what is stored by now.
  func report(
    _ result: Result<SessionRecord, StorageError>,
    as event: (Result<StoreOutcome, StorageError>) -> SessionEvent
  ) {
    let effects = storeOrder.withLock { _ in
      let outcome = result.map { written in
        StoreOutcome(written: written, latest: (try? readRecord().get()) ?? written)
      }
      return decide(event(outcome))
    }
    perform(effects)
  }

  func readRecord() -> Result<SessionRecord, StorageError> {
    Result { () throws(StorageError) in try storage.record() }
  }

  func update(
    _ change: @escaping @Sendable (SessionRecord) -> SessionRecord?
  ) async -> Result<SessionRecord, StorageError> {
    do { return .success(try await storage.update(change)) } catch { return .failure(error) }
  }

  func note(
    _ level: SessionLogEntry.Level,
    _ message: @autoclosure () -> String,
    requestID: String? = nil
  ) {
    log?(SessionLogEntry(level: level, message: message(), requestID: requestID))
  }

  private func nextUnpublished() -> SessionState? {
    core.withLock { $0.unpublished.isEmpty ? nil : $0.unpublished.removeFirst() }
  }

  private func carryOut(_ effect: SessionEffect) {
    switch effect {
    case .publish: break
    case .resume(let waiter, let result):
      core.withLock { $0.waiters.removeValue(forKey: waiter) }?.resolve(result)
    case .step(let flight, let step):
      // Unstructured on purpose: no caller's cancellation reaches it (R10), and it keeps the
      // controller alive until its answer is stored.
      Task.detached { await self.carryOut(step, of: flight) }
    case .unlock(let flight):
      let held = core.withLock { core in
        core.aborts.removeValue(forKey: flight)
        core.abandons.removeValue(forKey: flight)
        return core.locks.removeValue(forKey: flight)
      }
      held?.release()
    case .abort(let flight): core.withLock { $0.aborts.removeValue(forKey: flight) }?()
    case .abandon(let flight): core.withLock { $0.abandons.removeValue(forKey: flight) }?()
    case .revoke(let info): revokeLater(info)
    case .wakeUp(let wait):
      Task.detached { [weak self, clock] in
        try? await clock.sleep(for: wait)
        self?.feed(.retryDue)
      }
    }
  }

  private func observeStore() {
    let records = storage.records()
    let task = Task.detached { [weak self] in
      // The element only says that something changed: by now there may be something newer.
      for await _ in records {
        guard let self else { return }
        readStore()
      }
    }
    observation.withLock { $0 = task }
  }
}

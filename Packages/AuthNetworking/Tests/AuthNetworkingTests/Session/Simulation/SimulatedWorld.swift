import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Synchronization

/// One store, one lock, one server and the clocks, shared by the processes of a history; and what
/// the rules say of all that passes here.
final class SimulatedWorld: Sendable {
  static let baseURL = "https://api.example.org"
  static let deviceID = DeviceID(rawValue: "device-1")

  private struct State {
    var isLocked = false
    /// Whether anything may go wrong still.
    var isHostile = true
    var durable: Set<String> = []
    var sends: [String: Int] = [:]
    var hasAbandoned = false
    /// The living processes that are waiting for the answer to a refresh.
    var refreshing: [ProcessLife] = []
    var violations: [String] = []
  }

  let clock = SimulationClock()
  let server: RotatingServer
  let slot: InMemorySessionStorage
  let lock = InMemoryRefreshLock()
  let log = LogCollector()
  let random: Mutex<SeededGenerator>
  let keepsTokenInMemory: Bool
  private let state = Mutex(State())

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    keepsTokenInMemory = generator.once(in: 4)
    let lifetime: Double? = generator.once(in: 5) ? nil : [30, 300, 900][generator.below(3)]
    random = Mutex(generator)
    server = RotatingServer(
      clock: ProcessClock(clock: clock, life: ProcessLife()),
      accessLifetime: lifetime
    )
    var info = server.signIn(
      baseURL: SimulatedWorld.baseURL,
      deviceID: SimulatedWorld.deviceID
    )
    let token = info.session.accessToken?.secret.reveal()
    if keepsTokenInMemory { info.session.accessToken = nil }
    slot = InMemorySessionStorage(
      record: SessionRecord(generation: 7, authInfo: info, signOutReason: .never)
    )
    state.withLock { state in if let token { state.durable.insert(token) } }
  }

  var violations: [String] { state.withLock { $0.violations } }

  func require(_ rule: String, _ holds: Bool) {
    if !holds { state.withLock { $0.violations.append(rule) } }
  }

  // MARK: Chance

  func chance(once times: Int) -> Bool { random.withLock { $0.once(in: times) } }

  /// The same for what goes wrong: never, once the world is healed.
  func faults(once times: Int) -> Bool {
    guard state.withLock({ $0.isHostile }) else { return false }
    return chance(once: times)
  }

  func pause(upTo seconds: Double) async {
    let share = Double(random.withLock { $0.below(1000) }) / 1000
    try? await clock.sleep(for: .seconds(seconds * share))
  }

  /// From here on nothing goes wrong any more.
  func heal() {
    setLocked(false)
    state.withLock { $0.isHostile = false }
  }

  // MARK: The vault

  var isLocked: Bool { state.withLock { $0.isLocked } }

  func setLocked(_ locked: Bool) {
    guard
      state.withLock({ state in
        defer { state.isLocked = locked }
        return state.isLocked != locked
      })
    else { return }
    let error = StorageError(.vaultLocked, "The vault is locked", advice: "Unlock it")
    slot.failReads(with: locked ? error : nil)
  }

  func noteDurable(_ record: SessionRecord) {
    guard let token = record.authInfo?.session.accessToken?.secret.reveal() else { return }
    state.withLock { state in _ = state.durable.insert(token) }
  }

  // MARK: The network

  func noteSent(_ request: HTTPRequest) {
    let path = String(request.url.path)
    guard path.hasPrefix("/things/") else { return }
    state.withLock { state in
      state.sends[path, default: 0] += 1
      if state.sends[path] == 3 { state.violations.append("R6: \(path) was sent three times") }
      guard !keepsTokenInMemory, let token = request.bearer?.reveal() else { return }
      if !state.durable.contains(token) {
        state.violations.append("R3: a token left before it was durable")
      }
    }
  }

  func refreshBegins(by life: ProcessLife) {
    state.withLock { state in
      state.refreshing.removeAll { !$0.isAlive }
      // What a sign-out abandoned is no refresh any more: it only waits to be revoked.
      if state.refreshing.contains(where: { $0 !== life }), !state.hasAbandoned {
        state.violations.append("R1: two processes refresh at once")
      }
      state.refreshing.append(life)
    }
  }

  func refreshEnds(by life: ProcessLife) {
    state.withLock { state in
      guard let index = state.refreshing.firstIndex(where: { $0 === life }) else { return }
      state.refreshing.remove(at: index)
    }
  }

  /// After a sign-out or a sign-in, a refresh of the session before may still be under way.
  func noteSessionChange() { state.withLock { $0.hasAbandoned = true } }

  /// One of the ways in which a refresh goes wrong at the server.
  func failNextRefresh() {
    switch random.withLock({ $0.below(6) }) {
    case 0: server.failRefreshes(.answer(status: 503, headers: ["Retry-After": "3"]))
    case 1: server.failRefreshes(.answer(status: 200, body: "<html>Welcome to the Wi-Fi</html>"))
    case 2: server.failRefreshes(.answer(status: 429, headers: ["Retry-After": "5"]))
    case 3: server.failRefreshes(.lostAnswer)
    case 4: server.failRefreshes(.withoutRefreshToken)
    default: server.failRefreshes(.answer(status: 400, body: #"{"error":"try again"}"#))
    }
  }
}

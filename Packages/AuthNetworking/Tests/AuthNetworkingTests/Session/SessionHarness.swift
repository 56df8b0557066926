import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import SessionModelsTesting
import Synchronization

/// One backend, one store, one lock, and controllers on them: each plays an object or a process.
final class SessionHarness: Sendable {
  static let baseURL = "https://api.example.org"
  static let deviceID = DeviceID(rawValue: "device-1")
  static let locked = StorageError(.vaultLocked, "The vault is locked", advice: "Unlock it")

  let clock: VirtualClock
  let server: RotatingServer
  let storage: InMemorySessionStorage
  let lock = InMemoryRefreshLock()
  let network: ScriptedTransport
  /// Where a refresh waits before the server sees it, and before its answer arrives.
  let beforeRefresh = Gate(isOpen: true)
  let afterRefresh = Gate(isOpen: true)
  /// Where every other request waits before the server sees it, and before its answer arrives.
  let beforeRequest = Gate(isOpen: true)
  let afterRequest = Gate(isOpen: true)
  let log = LogCollector()

  init(
    signedIn: Bool = true,
    accessLifetime: Double? = 900,
    tokenModel: TokenModel = .accessRefresh,
    wall: Double = RotatingServer.epoch
  ) {
    clock = VirtualClock(wall: wall)
    let server = RotatingServer(
      clock: clock,
      accessLifetime: accessLifetime,
      tokenModel: tokenModel
    )
    self.server = server
    let info =
      signedIn
      ? server.signIn(baseURL: SessionHarness.baseURL, deviceID: SessionHarness.deviceID) : nil
    storage = InMemorySessionStorage(
      record: signedIn
        ? SessionRecord(generation: 7, authInfo: info, signOutReason: .never) : .empty
    )
    let gates = (beforeRefresh, afterRefresh, beforeRequest, afterRequest)
    network = ScriptedTransport { request in
      request.url.path == "/auth/refresh" ? (gates.0, gates.1) : (gates.2, gates.3)
    } server: { request throws(TransportError) in
      try server.answer(request)
    }
  }

  /// A controller in a process of its own.
  func controller(
    transport: (any HTTPTransport)? = nil,
    storage: (any SessionStorage)? = nil,
    _ configure: (inout SessionConfiguration) -> Void = { _ in }
  ) throws -> SessionController {
    var configuration = SessionConfiguration(
      baseURL: try HTTPURL(parsing: SessionHarness.baseURL),
      dialect: SkyConnectAPI(),
      tokenModel: server.tokenModel,
      deviceID: SessionHarness.deviceID,
      clientVersion: "test-1.0(1)",
      userAgent: "test/1.0 (Linux 6.1)"
    )
    configure(&configuration)
    return SessionController(
      configuration: configuration,
      storage: storage ?? self.storage.sibling(),
      transport: transport ?? network,
      lock: lock,
      clock: clock,
      log: { [log] in log.append($0) }
    )
  }

  /// The accounts of a place, in a process of its own.
  func accounts(_ homes: any AccountHomes) throws -> SessionAccounts {
    let configuration = SessionConfiguration(
      baseURL: try HTTPURL(parsing: SessionHarness.baseURL),
      dialect: SkyConnectAPI(),
      deviceID: SessionHarness.deviceID,
      clientVersion: "test-1.0(1)",
      userAgent: "test/1.0 (Linux 6.1)"
    )
    return SessionAccounts(homes: homes) { [network, clock] _, home in
      SessionController(
        configuration: configuration,
        storage: home.storage,
        transport: network,
        lock: home.lock,
        clock: clock
      )
    }
  }

  /// What is stored.
  var record: SessionRecord { get throws { try storage.record() } }

  /// Lets the access token expire.
  func expireToken() { clock.advance(by: .seconds(1000)) }

  /// The refresh requests that were sent.
  var refreshRequests: [HTTPRequest] {
    network.requests.filter { $0.url.path == "/auth/refresh" }
  }
}

/// Keeps every log entry of a test.
final class LogCollector: Sendable {
  private let entries = Mutex<[SessionLogEntry]>([])

  func append(_ entry: SessionLogEntry) {
    SecretSweep.said(entry.description)
    entries.withLock { $0.append(entry) }
  }

  var all: [SessionLogEntry] { entries.withLock { $0 } }

  var text: String { entries.withLock { $0.map(\.description).joined(separator: "\n") } }
}

/// What an operation throws, or nil.
func failure<Result>(of operation: () async throws(AuthError) -> Result) async -> AuthError? {
  do { _ = try await operation() } catch { return error }
  return nil
}

extension SessionController {
  /// A request for a resource.
  func get(_ path: String = "/things") async throws(AuthError) -> APIResponse {
    try await send(APIRequest(.get, path))
  }

  /// Signs in as the one account.
  @discardableResult
  func signIn(as email: String = RotatingServer.email) async throws(AuthError) -> AuthInfo {
    try await login(Credentials(identifier: email, password: RotatingServer.password))
  }
}

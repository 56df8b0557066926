import AuthNetworking
import AuthNetworkingTesting
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The examples of README.md and of `SessionAccounts`, so that they compile and say the truth.
struct ReadmeTests {
  private func things(
    storage: any SessionStorage,
    transport: any HTTPTransport,
    lock: any RefreshLock
  ) async throws -> APIResponse {
    let configuration = SessionConfiguration(
      baseURL: try HTTPURL(parsing: "https://api.example.org"),
      dialect: SkyConnectAPI(),
      deviceID: DeviceID(rawValue: "made at first launch"),
      clientVersion: "app-1.0(1)",
      userAgent: "app/1.0 (iOS 18.0)"
    )
    let session = SessionController(
      configuration: configuration,
      storage: storage,
      transport: transport,
      lock: lock
    )
    if !(try await session.restore()).isSignedIn {
      let password = Secret("Analytical-Engine-1843")
      _ = try await session.login(Credentials(identifier: "ada@example.org", password: password))
    }
    return try await session.send(APIRequest(.get, "/things"))
  }

  /// The examples of the article on sending requests, which need only compile.
  private func upload(_ path: String, _ session: SessionController) async throws {
    var upload = APIRequest(.put, "/photos/1")
    // Looks at the file, and throws where it cannot be read.
    upload.content = try .file(path, contentType: "image/jpeg")
    upload.onProgress = { progress in print(progress.sentBytes, progress.bytesToSend ?? 0) }
    _ = try await session.send(upload)
  }

  private func pinned(_ current: SPKIPin, _ backup: SPKIPin, _ nextYear: Date) throws {
    var configuration = CurlConfiguration()
    configuration.pinning = PinPolicy([
      PinPolicy.Pin(current),
      PinPolicy.Pin(backup, expires: nextYear),
    ])
    configuration.onPinMismatch = { report in print(report.host, report.key) }
    let transport = try CurlTransport(configuration)
    _ = transport
  }

  @Test func `the README's example`() async throws {
    let harness = SessionHarness(signedIn: false)
    for _ in 0..<2 {
      let answer = try await things(
        storage: harness.storage,
        transport: harness.network,
        lock: harness.lock
      )
      #expect(answer.status == 200)
    }
    let logins = harness.network.requests.filter { $0.url.path == "/auth/login" }
    #expect(logins.count == 1)
  }

  private func session(
    homes: any AccountHomes,
    configuration: SessionConfiguration,
    transport: any HTTPTransport
  ) async throws -> SessionController {
    let accounts = SessionAccounts(homes: homes) { name, home in
      SessionController(
        configuration: configuration,
        storage: home.storage,
        transport: transport,
        lock: home.lock
      )
    }
    let last = try await accounts.restoreActive()
    let session = if let last { last } else { try await accounts.activate(.random()) }
    return session
  }

  @Test func `the example of SessionAccounts`() async throws {
    let harness = SessionHarness(signedIn: false)
    let homes = InMemoryAccountHomes { InMemorySessionStorage() }
    let configuration = SessionConfiguration(
      baseURL: try HTTPURL(parsing: SessionHarness.baseURL),
      dialect: SkyConnectAPI(),
      deviceID: SessionHarness.deviceID,
      clientVersion: "app-1.0(1)",
      userAgent: "app/1.0 (iOS 18.0)"
    )
    for isFirst in [true, false] {
      let session = try await session(
        homes: homes.sibling(),
        configuration: configuration,
        transport: harness.network
      )
      if isFirst { try await session.signIn() }
      #expect(session.state == .signedIn(.fresh))
    }
    #expect(try homes.names().count == 1)
  }
}

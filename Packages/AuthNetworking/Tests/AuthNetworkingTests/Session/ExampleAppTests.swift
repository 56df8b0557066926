import AuthNetworking
import AuthNetworkingTesting
import Foundation
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// The example of the `AuthNetworkingTesting` documentation: a screen's model, and its tests.
struct ExampleAppTests {
  // example: model
  /// What one screen of an app shows.
  @MainActor final class ThingsScreen {
    enum Content: Equatable {
      case loading
      case things(status: Int)
      case offline
      case signIn(SignOutReason?)
    }

    private(set) var content = Content.loading
    private let session: SessionController

    init(session: SessionController) { self.session = session }

    func load() async {
      content = .loading
      do {
        content = .things(status: try await session.send(APIRequest(.get, "/things")).status)
      } catch {
        switch error.code {
        case .notSignedIn, .sessionEnded: content = .signIn(error.signOutReason)
        default: content = .offline
        }
      }
    }
  }
  // end

  // example: stage
  /// Everything that a session needs, with the test in charge of it.
  struct Stage {
    let clock = VirtualClock(wall: RotatingServer.epoch)
    let lock = InMemoryRefreshLock()
    let beforeRefresh = Gate(isOpen: true)
    let afterRefresh = Gate(isOpen: true)
    let server: RotatingServer
    let network: ScriptedTransport
    let storage: InMemorySessionStorage

    init() {
      let server = RotatingServer(clock: clock)
      let device = DeviceID(rawValue: "device-1")
      let signedIn = server.signIn(baseURL: "https://api.example.org", deviceID: device)
      let (before, after) = (beforeRefresh, afterRefresh)
      network = ScriptedTransport { request in
        request.url.path == "/auth/refresh" ? (before, after) : (nil, nil)
      } server: { request throws(TransportError) in
        try server.answer(request)
      }
      storage = InMemorySessionStorage(
        record: SessionRecord(generation: 1, authInfo: signedIn, signOutReason: .never)
      )
      self.server = server
    }

    /// An app that is started on what is stored; its storage may crash.
    func launch(_ storage: any SessionStorage) throws -> SessionController {
      SessionController(
        configuration: SessionConfiguration(
          baseURL: try HTTPURL(parsing: "https://api.example.org"),
          dialect: SkyConnectAPI(),
          deviceID: DeviceID(rawValue: "device-1"),
          clientVersion: "app-1.0(1)",
          userAgent: "app/1.0 (test)"
        ),
        storage: storage,
        transport: network,
        lock: lock,
        clock: clock
      )
    }
  }
  // end

  // example: tests
  @MainActor @Test func `a screen waits for the refresh, and shows its things`() async throws {
    let stage = Stage()
    let screen = ThingsScreen(session: try stage.launch(stage.storage))
    stage.clock.advance(by: .seconds(1_000))
    stage.beforeRefresh.shut()

    let load = Task { await screen.load() }
    await stage.beforeRefresh.arrival()
    #expect(screen.content == .loading)
    stage.beforeRefresh.open()
    await load.value

    #expect(screen.content == .things(status: 200))
    #expect(stage.server.counts.rotations == 1)
  }

  @MainActor @Test func `leaving the screen loses no token that the server has issued`()
    async throws
  {
    let stage = Stage()
    let session = try stage.launch(stage.storage)
    let screen = ThingsScreen(session: session)
    stage.clock.advance(by: .seconds(1_000))
    stage.afterRefresh.shut()

    let load = Task { await screen.load() }
    // The server has rotated, and its answer is on the way.
    await stage.afterRefresh.arrival()
    load.cancel()
    await load.value
    stage.afterRefresh.open()
    await screen.load()

    #expect(screen.content == .things(status: 200))
    #expect(stage.server.counts.rotations == 1)
    #expect(stage.server.counts.reuses == 0)
  }

  @MainActor @Test func `an app that is killed in a refresh is signed in at its next launch`()
    async throws
  {
    let stage = Stage()
    stage.clock.advance(by: .seconds(1_000))
    let storage = CrashingStorage(stage.storage)
    storage.crash(.beforeCommit, ofWrite: 2)
    await ThingsScreen(session: try stage.launch(storage)).load()
    #expect(storage.hasCrashed)

    let screen = ThingsScreen(session: try stage.launch(storage.restarted()))
    await screen.load()

    #expect(screen.content == .things(status: 200))
    #expect(stage.server.counts.reuses == 0)
  }

  @MainActor @Test func `a session that was revoked leads to the sign-in screen, and says why`()
    async throws
  {
    let stage = Stage()
    let screen = ThingsScreen(session: try stage.launch(stage.storage))
    stage.server.revokeEverything()
    await screen.load()
    #expect(screen.content == .signIn(.revoked))
  }
  // end

  @Test(arguments: ["model", "stage", "tests"])
  func `the documentation shows this code`(part: String) throws {
    let source = try PackageText.read("Tests/AuthNetworkingTests/Session/ExampleAppTests.swift")
    let page = try PackageText.read(
      "Sources/AuthNetworkingTesting/AuthNetworkingTesting.docc/AuthNetworkingTesting.md"
    )
    let start = try #require(source.range(of: "// example: \(part)\n"))
    let rest = source[start.upperBound...]
    let end = try #require(rest.range(of: "  // end\n"))
    let shown = rest[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0) }.joined(separator: "\n")
    #expect(page.contains("```swift\n\(shown)```"))
  }
}

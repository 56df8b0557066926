import AuthNetworking
import DevBackend
import Foundation
import GRPC
import GroupMessages
import Realtime
import SecureStorage
import SessionModels
import Testing

/// The adapters of GroupMessages' README, between the real packages and a real backend.
@Suite(.timeLimit(.minutes(5)))
struct MessagesReadmeExampleTests {
  /// The tokens of realtime calls, as Realtime's README has them.
  private struct Tokens: TokenProvider {
    let session: SessionController

    func token() async throws -> Secret? { try await session.token().secret }

    func tokenWasRefused(_ token: Secret) async throws -> Bool {
      try await session.accessTokenWasRefused(AccessToken(token)).secret != token
    }

    func endsSession(_ error: any Error) -> Bool { true }
  }

  private let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  private func signIn(
    _ user: DemoData.User,
    at ports: BackendPorts
  ) async throws -> (GroupMessages, SessionController) {
    let folder = home.appending(path: user.username).path
    try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
    let store = try await SecureStore.open(at: folder, vault: FileVault(path: folder + "/key"))
    let session = SessionController(
      configuration: SessionConfiguration(
        baseURL: try #require(HTTPURL("http://127.0.0.1:\(ports.http)")),
        dialect: SkyConnectAPI(),
        deviceID: DeviceID(rawValue: user.username),
        clientVersion: "example-1.0(1)",
        userAgent: "example/1.0"
      ),
      storage: SecureSessionStorage(store: store),
      transport: try CurlTransport(),
      lock: FlockRefreshLock(path: folder + ".lock")
    )
    _ = try await session.login(
      Credentials(identifier: user.email, password: Secret(user.password))
    )
    let realtime = RealtimeClient(
      to: try GRPCEndpoint("http://127.0.0.1:\(ports.realtime)"),
      tokens: Tokens(session: session)
    )
    return (groupMessages(session: session, store: store, realtime: realtime), session)
  }

  @Test func `two people see one another's messages and typing, until one signs out`()
    async throws
  {
    var configuration = BackendConfiguration.testing()
    configuration.seedsDemoData = true
    let backend = DevBackend(configuration)
    let ports = try await backend.start()
    defer { try? FileManager.default.removeItem(at: home) }
    let (ada, adaSession) = try await signIn(DemoData.users[0], at: ports)
    let (bob, _) = try await signIn(DemoData.users[1], at: ports)
    let (here, there) = (ada.timeline(of: "general"), bob.timeline(of: "general"))
    _ = try await here.first { $0.status == .live && $0.me != nil }
    _ = try await there.first { $0.status == .live && $0.me != nil }

    try await there.send("hello from bob")
    let heard = try await here.first { $0.messages.last?.body == "hello from bob" }
    #expect(heard?.messages.last.map { heard?.isMine($0) } == false)
    let sent = try await there.first { $0.messages.last?.body == "hello from bob" }
    #expect(sent?.messages.last.map { sent?.isMine($0) } == true)
    #expect(sent?.unsent.isEmpty == true)

    // With each key, as an app does: a signal is news or it is nothing, and on a slow machine one
    // may be given up on its way, or be over before it is read.
    do {
      let keys = Task {
        while !Task.isCancelled {
          await there.typing()
          try? await Task.sleep(for: .milliseconds(500))
        }
      }
      defer { keys.cancel() }
      let writing = try await here.first { !$0.typing.isEmpty }
      #expect(writing?.typing == [try await bob.currentUser.id()])
    }

    _ = await adaSession.logout()
    await #expect(throws: (any Error).self) { for try await _ in here {} }
    #expect(here.snapshot.messages.isEmpty)
    await backend.stop()
  }

  @Test func `the README shows these adapters`() throws {
    let source = try String(
      contentsOf: Repository.root.appending(
        path: "Tests/IntegrationTests/MessagesReadmeExample.swift"
      ),
      encoding: .utf8
    )
    let readme = try String(
      contentsOf: Repository.root.appending(path: "Packages/GroupMessages/README.md"),
      encoding: .utf8
    )
    let parts = source.components(separatedBy: "// README begins\n")
    let adapters = try #require(parts.last?.components(separatedBy: "\n// README ends").first)
    #expect(parts.count == 2)
    #expect(readme.contains("```swift\n\(adapters)\n```"))
  }
}

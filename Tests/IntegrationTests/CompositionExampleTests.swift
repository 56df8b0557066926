import AuthNetworking
import DevBackend
import Foundation
import GroupMessages
import Realtime
import SessionModels
import Testing

@Suite struct CompositionExampleTests {
  @Test func `the composition of the headless client's README sends, and sees it live`()
    async throws
  {
    var configuration = BackendConfiguration.testing()
    configuration.seedsDemoData = true
    let backend = DevBackend(configuration)
    let ports = try await backend.start()
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: home) }
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    let user = DemoData.users[0]

    let core = try await Core(
      home: home.path,
      backend: try #require(HTTPURL("http://127.0.0.1:\(ports.http)")),
      realtimeURL: "http://127.0.0.1:\(ports.realtime)",
      device: DeviceID(rawValue: "readme")
    )
    _ = try await core.session.login(
      Credentials(identifier: user.email, password: Secret(user.password))
    )
    let sent = try await core.messages.send("Hello", to: "general")
    var seen = core.messages.watch(group: "general", after: sent.sequence - 1).makeAsyncIterator()

    guard case .message(let message) = try await seen.next() else {
      Issue.record("no message came")
      return
    }
    #expect(message == sent)
    #expect(try await core.messages.currentUser.isMine(message))
    core.realtime.shutDown()
    await backend.stop()
  }
}

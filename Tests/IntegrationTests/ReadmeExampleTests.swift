import AuthNetworking
import DevBackend
import Foundation
import SessionModels
import Testing

@Suite struct ReadmeExampleTests {
  @Test func `The README's example signs in and makes a request`() async throws {
    var configuration = BackendConfiguration.testing()
    configuration.seedsDemoData = true
    let backend = DevBackend(configuration)
    let ports = try await backend.start()
    let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let user = DemoData.users[0]

    let result = await Result.catching {
      try await readmeExample(
        home: home.path,
        backend: try #require(HTTPURL("http://127.0.0.1:\(ports.http)")),
        device: DeviceID(rawValue: "readme"),
        email: user.email,
        password: Secret(user.password)
      )
    }
    await backend.stop()
    for path in [home.path, home.path + ".lock"] {
      try? FileManager.default.removeItem(atPath: path)
    }

    let (answer, state) = try result.get()
    #expect(answer.status == 200)
    #expect(state == .signedIn(.fresh))
  }
}

extension Result where Failure == any Error {
  /// The outcome of an asynchronous call, to be looked at after cleaning up.
  fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

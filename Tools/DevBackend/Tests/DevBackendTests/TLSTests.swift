import Foundation
import Testing

@testable import DevBackend

/// TLS on both ports.
@Suite struct TLSTests {
  private static let curl = URL(fileURLWithPath: "/usr/bin/curl")

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: curl.path)))
  func `HTTP speaks TLS only, with the certificate given`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let tls = try TestIdentity.write(to: directory)
    try await Fixture.run {
      $0.tls = tls
    } _: { fixture in
      let url = "https://localhost:\(fixture.client.port)/healthz"
      let trusted = try await Executable(
        "-sS",
        "--cacert",
        tls.certificateFile,
        url,
        path: Self.curl
      ).outcome()
      #expect(trusted.output == #"{"status":"ok"}"#)
      let untrusted = try await Executable("-s", url, path: Self.curl).outcome()
      #expect(untrusted.status == 60)
      await #expect(throws: (any Error).self) {
        try await fixture.client.send("GET", "/healthz")
      }
    }
  }

  @Test func `a key that belongs to no certificate is refused`() async throws {
    let directory = try Fixture.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    var configuration = BackendConfiguration.testing()
    var tls = try TestIdentity.write(to: directory)
    tls.keyFile = tls.certificateFile
    configuration.tls = tls
    let backend = DevBackend(configuration)
    let error = await #expect(throws: BackendError.self) { try await backend.start() }
    #expect(error?.code == .tls)
  }
}

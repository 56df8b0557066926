#if os(Linux)
import AuthNetworking
import Glibc
import Testing

/// R9: what libcurl does with `SSLKEYLOGFILE`, which it reads once in a process.
@Suite(.timeLimit(.minutes(5))) struct CurlKeyLogTests {
  @Test func `R9: SSLKEYLOGFILE gets no keys`() async throws {
    await #expect(processExitsWith: .success) {
      try await withTemporaryFolder { folder in
        setenv("SSLKEYLOGFILE", folder.file("keys"), 1)
        let authority = try TestIdentity.authority()
        let identity = try TestIdentity.server(authority)
        try await withServer(identity: identity, script: { try $0.respondToAll() }) { server in
          try await withCAFile(authority) { file in
            let response = try await server.fetch(
              host: "localhost",
              scheme: "https",
              transport: CurlTransport(CurlConfiguration(caFile: file))
            )
            #expect(response.status == 200)
          }
        }
        // Given here so that the test can see its own means: curl itself may make an empty file.
        #expect((folder.read("keys") ?? []).isEmpty)
      }
    }
  }
}
#endif

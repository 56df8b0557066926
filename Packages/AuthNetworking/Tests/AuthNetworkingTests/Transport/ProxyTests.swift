import Testing

@testable import AuthNetworking

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(1))) struct ProxyTests {
  @Test(
    arguments: [
      ("http://localhost:3001/", ["http_proxy": "http://proxy.example:3128"], true),
      ("http://127.0.0.1/", ["ALL_PROXY": "socks5h://proxy.example"], true),
      ("http://[::1]/", ["all_proxy": "proxy.example:3128"], true),
      ("http://localhost/", ["http_proxy": "http://user:word@proxy.example:3128/"], true),
      ("http://localhost/", ["http_proxy": "nonsense with spaces"], true),
      ("http://localhost/", ["http_proxy": "http://127.0.0.1:3128"], false),
      ("http://localhost/", ["http_proxy": "localhost:3128"], false),
      ("http://localhost/", ["http_proxy": "", "all_proxy": "http://[::1]:1"], false),
      ("http://localhost/", [:], false),
      ("http://host.example/", ["http_proxy": "http://proxy.example"], false),
      ("https://localhost/", ["https_proxy": "http://proxy.example"], false),
    ]
  )
  func `R8: plain http to this machine does not leave it by a proxy`(
    text: String,
    environment: [String: String],
    isDirect: Bool
  ) throws {
    let url = try HTTPURL(parsing: text)
    #expect(ProxyChoice.isDirect(url) { environment[$0] } == isDirect)
  }

  @Test func `the environment's proxy is used`() async throws {
    // In a process of its own: the environment belongs to the whole process.
    await #expect(processExitsWith: .success) {
      let script: @Sendable (TestConnection) throws -> Void = { try $0.respondToAll(body: [1]) }
      let proxy = try TestServer(script: script)
      setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
      let url = try HTTPURL(parsing: "http://backend.invalid/path")
      let response = try await CurlTransport().send(HTTPRequest(method: .get, url: url))
      #expect(response.body == [1])
      let line = proxy.requests.first?.line
      exit(line == "GET http://backend.invalid/path HTTP/1.1" ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}

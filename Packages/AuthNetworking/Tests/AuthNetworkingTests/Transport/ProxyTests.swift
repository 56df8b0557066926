import Testing

@testable import AuthNetworking

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
  @Test(
    arguments: [
      ("http://localhost:3001/", true), ("http://127.0.0.1/", true), ("http://127.1.2.3/", true),
      ("http://[::1]/", true), ("https://localhost/", true), ("https://127.0.0.1:8443/", true),
      ("http://host.example/", false), ("https://host.example/", false),
      ("http://localhost.example/", false), ("http://192.168.0.1/", false),
    ]
  )
  func `R8: what goes to this machine goes by no proxy`(text: String, isDirect: Bool) throws {
    #expect(ProxyChoice.isDirect(try HTTPURL(parsing: text)) == isDirect)
  }

  @Test func `R8: a proxy on this machine gets nothing that is for this machine`() async throws {
    await #expect(processExitsWith: .success) {
      let proxy = try TestServer { try $0.respondToAll(body: [2]) }
      let server = try TestServer { try $0.respondToAll(body: [1]) }
      for name in ["http_proxy", "all_proxy", "ALL_PROXY"] {
        setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
      }
      let response = try await server.fetch()
      exit(response.body == [1] && proxy.connections == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `R9: a proxy that cannot be understood keeps its password`() async throws {
    await #expect(processExitsWith: .success) {
      let url = try HTTPURL(parsing: "http://backend.invalid/path")
      for proxy in ["odd://user:s3cr3t@127.0.0.1:1", "odd://user:s'cr3t@127.0.0.1:1"] {
        setenv("http_proxy", proxy, 1)
        do {
          _ = try await CurlTransport().send(HTTPRequest(method: .get, url: url))
          exit(2)
        } catch let error as TransportError {
          guard !error.message.contains("cr3t"), error.message.contains("127.0.0.1") else {
            exit(3)
          }
        }
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test(arguments: [
    ("Unsupported proxy scheme for 'a://u:p@h:1'", "Unsupported proxy scheme for 'a://…@h:1'"),
    ("Unsupported proxy syntax in 'u:p w@x@h': Bad", "Unsupported proxy syntax in '…@h': Bad"),
    ("Could not resolve host: a", "Could not resolve host: a"), ("it's u@h", "it's u@h"),
  ])
  func `R9: name and password are cut out of a quoted URL`(text: String, shown: String) {
    #expect(CurlFailure.withoutUserInfo(text) == shown)
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

import Testing

@testable import GRPC

@Suite struct GRPCEndpointTests {
  struct Good: Sendable {
    let url: String
    let host: String
    let port: Int
    let authority: String
  }

  @Test(arguments: [
    Good(url: "https://a.example", host: "a.example", port: 443, authority: "a.example"),
    Good(
      url: "HTTPS://a.example:8443/",
      host: "a.example",
      port: 8443,
      authority: "a.example:8443"
    ),
    Good(
      url: "https://[2001:db8::1]:444",
      host: "2001:db8::1",
      port: 444,
      authority: "[2001:db8::1]:444"
    ),
    Good(url: "http://localhost:3002", host: "localhost", port: 3002, authority: "localhost:3002"),
    Good(url: "http://127.9.9.9", host: "127.9.9.9", port: 80, authority: "127.9.9.9"),
    Good(url: "http://[::1]:1", host: "::1", port: 1, authority: "[::1]:1"),
  ])
  func `a URL names host and port`(_ good: Good) throws {
    let endpoint = try GRPCEndpoint(good.url)
    #expect(endpoint.host == good.host)
    #expect(endpoint.port == good.port)
    #expect(endpoint.authority == good.authority)
  }

  @Test(arguments: [
    "", "a.example", "ftp://a", "https://", "https://:1", "https://a:0", "https://a:65536",
    "https://a:x", "https://a:", "https://a/path", "https://user@a", "https://a b", "https://[::1",
    "https://::1", "https://a?b", "https://a#b", "https://[a]b:1",
  ])
  func `what is no address of a server is refused`(url: String) {
    #expect(throws: GRPCEndpointError.malformed(url)) { try GRPCEndpoint(url) }
  }

  @Test(arguments: ["http://a.example", "http://127.0.0.1.evil.example", "http://128.0.0.1:1"])
  func `R8: plain text goes to loopback only, unless allowed`(url: String) throws {
    #expect(throws: GRPCEndpointError.self) { try GRPCEndpoint(url) }
    #expect(try GRPCEndpoint(url, allowsPlainText: true).isSecure == false)
  }

  @Test func `a malformed pin is refused`() {
    for pin in ["", "sha256//", "sha256//abc=", "sha1//" + String(repeating: "A", count: 43) + "="]
    {
      #expect(throws: GRPCEndpointError.malformedPin(pin)) {
        try GRPCEndpoint("https://a", pins: [pin])
      }
    }
  }
}

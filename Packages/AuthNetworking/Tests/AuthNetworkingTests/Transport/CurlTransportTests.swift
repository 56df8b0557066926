import AuthNetworking
import SessionModels
import Testing

@Suite(.timeLimit(.minutes(1))) struct CurlTransportTests {
  @Test func `a request is sent as it is, with nothing added but what HTTP needs`() async throws {
    try await withServer(script: { try $0.respondToAll(body: Array("{}".utf8)) }) { server in
      let transport = try CurlTransport()
      let url = try HTTPURL(parsing: "http://127.0.0.1:\(server.port)/a/../b//c%2Fd?x=[1]&y=%20")
      let response = try await transport.send(HTTPRequest(method: .get, url: url))
      #expect(response.status == 200)
      #expect(response.body == Array("{}".utf8))
      let request = try #require(server.requests.first)
      #expect(request.line == "GET /a/../b//c%2Fd?x=[1]&y=%20 HTTP/1.1")
      #expect(request.names == ["accept-encoding", "host"])
      #expect(request["accept-encoding"] == ["gzip"])
    }
  }
}

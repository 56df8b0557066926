import AuthNetworking
import AuthNetworkingTesting
import SessionModels
import Testing

/// R8: where a redirect leads, and what goes along.
struct RedirectPolicyTests {
  private static func request(
    _ method: HTTPMethod = .get,
    _ url: String = "https://api.example.org/a/b?x=1",
    body: [UInt8]? = nil
  ) throws -> HTTPRequest {
    HTTPRequest(
      method: method,
      url: try HTTPURL(parsing: url),
      headers: HTTPHeaders([
        ("Accept", "text/plain"), ("X-Api-Key", "secret"), ("Authorization", "Basic abc"),
        ("Content-Type", "text/plain"), ("Cookie", "a=b"), ("X-Client-Type", "mobile"),
        ("X-Client-Secret", "secret"), ("Proxy-Authorization", "Basic abc"),
      ]),
      bearer: Secret("token"),
      body: body
    )
  }

  private static func answer(_ status: Int, _ location: String?) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: HTTPHeaders(location.map { [("Location", $0)] } ?? [])
    )
  }

  @Test(arguments: [
    ("/c", "https://api.example.org/c"),
    ("c?y=2", "https://api.example.org/a/c?y=2"),
    ("../c", "https://api.example.org/c"),
    ("../../../c/./d/..", "https://api.example.org/c/"),
    ("/a b/ü", "https://api.example.org/a%20b/%C3%BC"),
    ("/a%2Fb", "https://api.example.org/a%2Fb"),
    ("c?next=http://x/../y", "https://api.example.org/a/c?next=http://x/../y"),
    ("", "https://api.example.org/a/b?x=1"),
    ("?y=2", "https://api.example.org/a/b?y=2"),
    ("//other.example/c", "https://other.example/c"),
    ("//other.example/x/../c?y=..", "https://other.example/c?y=.."),
    ("https://API.example.org:443/c#top", "https://api.example.org/c"),
    ("https://api.example.org/x/../c", "https://api.example.org/c"),
    ("http://127.0.0.1:8080/c", "http://127.0.0.1:8080/c"),
    ("http://localhost/c", "http://localhost/c"),
  ])
  func `a location is resolved as RFC 3986 says`(location: String, target: String) throws {
    let next = try RedirectPolicy().next(
      after: RedirectPolicyTests.answer(302, location),
      to: RedirectPolicyTests.request(),
      hops: 0
    )
    #expect(next?.url.text == target)
  }

  @Test(arguments: [
    "ftp://api.example.org/c", "javascript:alert(1)", "https://user@other.example/",
    "http://api.example.org/c", "http://localhost.example.org/c", "http://127.example/", "https://",
    "/a\\b", "/a\r\nb", "/100%", "//user@other.example/",
    "https:/c", "\\\\other.example",
  ])
  func `a location that is none, or loses TLS, is not followed`(_ location: String) throws {
    let next = try RedirectPolicy().next(
      after: RedirectPolicyTests.answer(307, location),
      to: RedirectPolicyTests.request(),
      hops: 0
    )
    #expect(next == nil)
  }

  @Test(arguments: [
    (301, HTTPMethod.post, HTTPMethod.get), (302, .post, .get), (303, .post, .get),
    (307, .post, .post), (308, .post, .post), (301, .put, .put), (303, .put, .get),
    (303, .head, .head), (302, .delete, .delete), (308, .get, .get),
  ])
  func `within the origin the method and the body are what the status says`(
    status: Int,
    method: HTTPMethod,
    then: HTTPMethod
  ) throws {
    let request = try RedirectPolicyTests.request(method, body: [1])
    let answer = RedirectPolicyTests.answer(status, "/c")
    let next = try #require(try RedirectPolicy().next(after: answer, to: request, hops: 0))
    #expect(next.method == then)
    #expect((next.body == nil) == (then == .get && method != .get))
    #expect(next.bearer == request.bearer)
    #expect(next.headers["X-Api-Key"] == "secret")
    #expect((next.headers["Content-Type"] == nil) == (next.body == nil))
  }

  @Test(arguments: ["https://other.example/c", "https://api.example.org:444/c", "//evil.example"])
  func `another origin gets no credential, and it does not come back`(
    _ location: String
  ) throws {
    let away = try #require(
      try RedirectPolicy().next(
        after: RedirectPolicyTests.answer(307, location),
        to: RedirectPolicyTests.request(),
        hops: 0
      )
    )
    #expect(away.bearer == nil)
    #expect(
      away.headers == HTTPHeaders([("Accept", "text/plain"), ("X-Client-Type", "mobile")])
    )
    let home = try #require(
      try RedirectPolicy().next(
        after: RedirectPolicyTests.answer(307, "https://api.example.org/a"),
        to: away,
        hops: 1
      )
    )
    #expect(home.bearer == nil)
    #expect(home.headers["Authorization"] == nil)
  }

  @Test(arguments: [HTTPMethod.post, .put, .patch, .delete], [301, 302, 303, 307, 308])
  func `what is not GET or HEAD does not leave the origin`(
    _ method: HTTPMethod,
    _ status: Int
  ) throws {
    let next = try RedirectPolicy().next(
      after: RedirectPolicyTests.answer(status, "https://other.example/c"),
      to: RedirectPolicyTests.request(method, body: [1]),
      hops: 0
    )
    #expect(next == nil)
  }

  @Test(arguments: [200, 300, 304, 305, 401, 500])
  func `every other status is an answer`(_ status: Int) throws {
    let next = try RedirectPolicy().next(
      after: RedirectPolicyTests.answer(status, "/c"),
      to: RedirectPolicyTests.request(),
      hops: 0
    )
    #expect(next == nil)
  }

  @Test func `the eleventh redirect is an error`() throws {
    let answer = RedirectPolicyTests.answer(302, "/c")
    let request = try RedirectPolicyTests.request()
    #expect(try RedirectPolicy().next(after: answer, to: request, hops: 9) != nil)
    let error = #expect(throws: TransportError.self) {
      try RedirectPolicy().next(after: answer, to: request, hops: 10)
    }
    #expect(error?.code == .tooManyRedirects)
  }

  @Test(arguments: [(0, true), (1, false), (200_000, false)])
  func `a Location without end is not followed`(excess: Int, isFollowed: Bool) throws {
    let request = HTTPRequest(method: .get, url: try HTTPURL(parsing: "https://a.example/"))
    let length = RedirectPolicy.longestLocation + excess
    let location = "/" + String(repeating: "a", count: length - 1)
    let response = HTTPResponse(status: 302, headers: HTTPHeaders([("Location", location)]))
    let next = try RedirectPolicy().next(after: response, to: request, hops: 0)
    #expect((next != nil) == isFollowed)
  }
}

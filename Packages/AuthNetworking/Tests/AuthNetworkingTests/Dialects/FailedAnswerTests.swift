import AuthNetworking
import Testing

/// What an answer is that is no success.
struct FailedAnswerTests {
  @Test(arguments: [
    (301, AuthError.Code.server), (400, .rejected), (408, .timeout), (418, .rejected),
    (429, .rateLimited), (499, .rejected), (500, .server), (503, .server), (599, .server),
    (600, .rejected), (999, .rejected),
  ])
  func `a status is temporary where the table says so, and a refusal beyond`(
    status: Int,
    code: AuthError.Code
  ) {
    #expect(AuthError(response: HTTPResponse(status: status)).code == code)
  }

  @Test(arguments: [
    ("https://b.example/login?token=s3cr3t#x", "redirects to https://b.example/login,"),
    ("/elsewhere", "redirects to /elsewhere,"),
    ("https://b.example/eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1MSJ9.abcdef", "…abcdef"),
  ])
  func `a redirect that is not followed says where to, and no secret`(
    location: String,
    words: String
  ) {
    let headers = HTTPHeaders([("Location", location)])
    let message = AuthError(response: HTTPResponse(status: 301, headers: headers)).message
    #expect(message.contains("HTTP 301"))
    #expect(message.contains(words))
    #expect(!message.contains("s3cr3t") && !message.contains("eyJ"))
    #expect(AuthError(response: HTTPResponse(status: 301)).message == "HTTP 301")
  }
}

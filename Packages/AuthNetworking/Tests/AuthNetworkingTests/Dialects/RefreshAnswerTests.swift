import AuthNetworking
import SessionModels
import Testing

@Suite struct RefreshAnswerTests {
  private func outcome(_ status: Int, _ body: String, api: any AuthAPI = SkyConnectAPI())
    -> RefreshAnswer
  {
    api.refreshOutcome(from: HTTPResponse(status: status, body: Array(body.utf8)))
  }

  @Test func `a rotated token, with and without a new refresh token`() {
    let access = AccessToken(Secret("a2"))
    #expect(
      outcome(200, #"{"access_token":"a2","refresh_token":"r2","expires_in":60}"#)
        == .rotated(access, refreshToken: Secret("r2"), expiresIn: 60)
    )
    for body in [
      #"{"access_token":"a2"}"#, #"{"access_token":"a2","refresh_token":null}"#,
      #"{"access_token":"a2","refresh_token":""}"#,
    ] {
      #expect(outcome(200, body) == .rotated(access, refreshToken: nil, expiresIn: nil))
    }
    #expect(
      outcome(
        200,
        #"{"success":true,"data":{"accessToken":"a2","refreshToken":"r2"}}"#,
        api: KSNAPI()
      ) == .rotated(access, refreshToken: Secret("r2"), expiresIn: nil)
    )
    #expect(
      outcome(200, #"{"success":true,"data":{"accessToken":"a2"}}"#, api: KSNAPI())
        == .rotated(access, refreshToken: nil, expiresIn: nil)
    )
  }

  @Test(arguments: [" ", "   ", "\\t", "\\n", "\\u0000", "\\u00a0", "r2\\u0007"])
  func `a refresh token of spaces or control characters is none, and not "absent" either`(
    token: String
  ) {
    for (api, body) in [
      (SkyConnectAPI() as any AuthAPI, #"{"access_token":"a2","refresh_token":"\#(token)"}"#),
      (KSNAPI(), #"{"success":true,"data":{"accessToken":"a2","refreshToken":"\#(token)"}}"#),
    ] {
      guard case .temporary(let error) = outcome(200, body, api: api) else {
        Issue.record("taken for a token: \(body)")
        continue
      }
      #expect(error.code == .server)
    }
  }

  @Test(
    arguments: [
      (401, "", SignOutReason.revoked),
      (401, "<html>", .revoked),
      (401, #"{"error":"Invalid or expired refresh token"}"#, .revoked),
      (401, #"{"error":"Token expired, invalid, or revoked"}"#, .revoked),
      (401, #"{"error":"Signed in on another device, session revoked"}"#, .revoked),
      (401, #"{"error":"Refresh token expired"}"#, .refreshExpired),
      (401, #"{"error":"invalid_grant","error_description":"token has expired"}"#, .refreshExpired),
      (401, #"{"error":"Unauthorized","code":"REFRESH_TOKEN_EXPIRED"}"#, .refreshExpired),
      (401, #"{"error":"Refresh token reuse detected"}"#, .reuseDetected),
      (401, #"{"error":"x","code":"token_reused"}"#, .reuseDetected),
      (401, #"{"message":"This token has already been used"}"#, .reuseDetected),
      (401, #"{"error":{"code":"DEVICE_MISMATCH","message":"no"}}"#, .deviceMismatch),
      (401, #"{"error":"Token does not match this device"}"#, .deviceMismatch),
      (400, #"{"error":"invalid_grant"}"#, .revoked),
      (403, #"{"error":"INVALID_GRANT"}"#, .revoked),
      (400, #"{"error":"No","code":"invalid-grant"}"#, .revoked),
      (403, #"{"error":{"code":"invalid_grant"}}"#, .revoked),
      (403, #"{"success":false,"error":"No","code":"DEVICE_MISMATCH"}"#, .deviceMismatch),
      (400, #"{"success":false,"error":"No","code":"INVALID_REFRESH_TOKEN"}"#, .revoked),
    ]
  )
  func `R5: a definitive refusal ends the session, with its reason`(
    status: Int,
    body: String,
    reason: SignOutReason
  ) throws {
    for api: any AuthAPI in [SkyConnectAPI(), KSNAPI()] {
      guard case .refused(let found, let error) = outcome(status, body, api: api) else {
        Issue.record("not refused")
        continue
      }
      #expect(found == reason)
      #expect(error.code == .sessionEnded)
      #expect(error.signOutReason == reason)
      #expect(error.status == status)
    }
  }

  @Test(
    arguments: [
      (200, ""), (200, "<html>Sign in to the Wi-Fi</html>"), (200, "{}"), (200, "null"),
      (200, #"{"access_token":""}"#), (200, #"{"access_token":1}"#),
      (200, #"{"access_token":"a","refresh_token":7}"#),
      (200, #"{"success":false,"error":"invalid_grant"}"#), (204, ""),
      (302, ""), (400, ""), (400, #"{"error":"invalid_request"}"#), (400, "<html>"),
      (400, #"{"error":"the grant is not invalid_grant"}"#), (403, ""),
      (403, #"{"error":"Forbidden"}"#), (404, #"{"error":"invalid_grant"}"#), (405, ""),
      (408, ""), (409, ""), (413, ""), (418, ""), (422, ""), (425, ""), (429, ""),
      (500, #"{"error":"invalid_grant"}"#), (502, "<html>"), (503, ""), (504, ""), (0, ""),
      (999, ""),
    ]
  )
  func `R5: everything else keeps the session`(status: Int, body: String) {
    for api: any AuthAPI in [SkyConnectAPI(), KSNAPI()] {
      guard case .temporary(let error) = outcome(status, body, api: api) else {
        Issue.record("taken for conclusive")
        continue
      }
      #expect(error.isTemporary)
      #expect(error.status == status)
      #expect(error.signOutReason == nil)
    }
  }

  @Test func `R12: a busy server says how long to wait`() {
    let response = HTTPResponse(status: 429, headers: HTTPHeaders([("Retry-After", "12")]))
    let expected = AuthError(.rateLimited, "HTTP 429", status: 429, retryAfter: .seconds(12))
    #expect(KSNAPI().refreshOutcome(from: response) == .temporary(expected))
  }
}

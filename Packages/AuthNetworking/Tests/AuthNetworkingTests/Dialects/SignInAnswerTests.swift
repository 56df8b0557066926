import AuthNetworking
import SessionModels
import Testing

@Suite struct SignInAnswerTests {
  private func answer(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(body.utf8))
  }

  private func error(_ body: () throws -> Void) -> AuthError? {
    do { try body() } catch { return error as? AuthError }
    return nil
  }

  @Test(arguments: [#""42""#, "42"])
  func `SkyConnect: a session, its user id a string or a number`(userID: String) throws {
    let body = """
      {"access_token": "a1", "refresh_token": "r1", "user_id": \(userID), "identity_seed": "s1",
       "expires_in": 900, "unknown": [1, {"x": null}]}
      """
    let session = try SkyConnectAPI().session(from: answer(201, body), model: .accessRefresh)
    #expect(session.session.accessToken?.secret == Secret("a1"))
    #expect(session.session.refreshToken == Secret("r1"))
    #expect(session.session.userID == UserID("42"))
    #expect(session.session.identitySeed == Secret("s1"))
    #expect(session.expiresIn == 900)
    #expect(session.user == nil)
  }

  @Test func `KSN: a session with its user`() throws {
    let body = """
      {"success": true, "data": {"user": {"id": "clx", "email": "kid@example.com",
       "username": "kid", "isMinor": true, "requiresParentalConsent": false,
       "createdAt": "2026-04-17T10:00:00.000Z", "onboardingCompleted": false, "grade": null},
       "accessToken": "a1", "refreshToken": "r1"}}
      """
    let session = try KSNAPI().session(from: answer(200, body), model: .accessRefresh)
    #expect(session.session.refreshToken == Secret("r1"))
    #expect(session.session.userID == UserID("clx"))
    let user = try #require(session.user)
    #expect(user.isMinor == true)
    #expect(user.requiresParentalConsent == false)
    #expect(user.onboardingCompleted == false)
    #expect(user.isStudentVerified == nil)
    #expect(user.grade == .none)
    #expect(user.school == .hidden)
    #expect(user.createdAt.map(Instant.text(of:)) == "2026-04-17T10:00:00Z")
  }

  @Test func `the opaque model takes a session id, and no refresh token`() throws {
    let sky = answer(200, #"{"access_token": "sid-1", "user_id": 7}"#)
    let session = try SkyConnectAPI().session(from: sky, model: .opaque)
    #expect(session.session.accessToken?.secret == Secret("sid-1"))
    #expect(session.session.refreshToken == nil)
    let ksn = answer(200, #"{"success":true,"data":{"accessToken":"sid-2","user":{"id":7}}}"#)
    #expect(try KSNAPI().session(from: ksn, model: .opaque).session.userID == UserID("7"))
  }

  @Test(
    arguments: [
      (#"{"access_token":"a","user_id":1}"#, TokenModel.accessRefresh),
      (#"{"access_token":"a","refresh_token":null,"user_id":1}"#, .accessRefresh),
      (#"{"access_token":"a","refresh_token":"","user_id":1}"#, .accessRefresh),
      (#"{"access_token":"a","refresh_token":"r","user_id":1}"#, .opaque),
    ]
  )
  func `an answer of the other token model is an error`(body: String, model: TokenModel) {
    let error = error { _ = try SkyConnectAPI().session(from: answer(200, body), model: model) }
    #expect(error?.code == .server)
    #expect(error?.status == 200)
  }

  @Test(
    arguments: [
      "", "<html>Welcome</html>", "null", "[]", "{}", "\"a\"", "{\"access_token\":",
      #"{"refresh_token":"r","user_id":1}"#,
      #"{"access_token":"","refresh_token":"r","user_id":1}"#,
      #"{"access_token":5,"refresh_token":"r","user_id":1}"#,
      #"{"access_token":"a b","refresh_token":"r","user_id":1}"#,
      #"{"access_token":"a\r\nX: y","refresh_token":"r","user_id":1}"#,
      #"{"access_token":"ä","refresh_token":"r","user_id":1}"#,
      #"{"access_token":"a","refresh_token":["r"],"user_id":1}"#,
      #"{"access_token":"a","refresh_token":"r"}"#,
      #"{"access_token":"a","refresh_token":"r","user_id":null}"#,
      #"{"access_token":"a","refresh_token":"r","user_id":1.5}"#,
      #"{"access_token":"a","refresh_token":"r","user_id":""}"#,
      #"{"access_token":"a","refresh_token":"r","user_id":{"id":1}}"#,
      #"{"access_token":"a","refresh_token":"r","user_id":1,"identity_seed":{}}"#,
      #"{"success":true,"data":{"accessToken":"a","refreshToken":"r","user":{"id":1}}}"#,
    ]
  )
  func `SkyConnect: a 2xx of another form is a temporary error`(body: String) {
    let error = error {
      _ = try SkyConnectAPI().session(from: answer(200, body), model: .accessRefresh)
    }
    #expect(error?.code == .server)
    #expect(error?.isTemporary == true)
  }

  @Test(
    arguments: [
      "", "{}", #"{"success":true}"#, #"{"success":true,"data":null}"#,
      #"{"success":true,"data":{"accessToken":"a","refreshToken":"r"}}"#,
      #"{"success":true,"data":{"accessToken":"a","refreshToken":"r","user":{}}}"#,
      #"{"success":true,"data":{"accessToken":"a","refreshToken":"r","user":"x"}}"#,
      #"{"success":"true","data":{"accessToken":"a","refreshToken":"r","user":{"id":1}}}"#,
      #"{"success":1,"data":{"accessToken":"a","refreshToken":"r","user":{"id":1}}}"#,
      #"{"data":{"accessToken":"a","refreshToken":"r","user":{"id":1}}}"#,
      #"{"access_token":"a","refresh_token":"r","user_id":1}"#,
    ]
  )
  func `KSN: a 2xx of another form is a temporary error`(body: String) {
    let error = error { _ = try KSNAPI().session(from: answer(200, body), model: .accessRefresh) }
    #expect(error?.code == .server)
  }

  @Test func `KSN: success false inside a 200 opens no session, and its text is told`() {
    let body = """
      {"success": false, "error": "Account locked",
       "data": {"accessToken": "a", "refreshToken": "r", "user": {"id": 1}}}
      """
    let error = error { _ = try KSNAPI().session(from: answer(200, body), model: .accessRefresh) }
    #expect(error?.code == .server)
    #expect(error?.message.hasSuffix(": Account locked") == true)
  }

  @Test(
    arguments: [
      ("900", 900.0), ("\"900\"", 900), ("0.5", 0.5), ("0", nil), ("-1", nil), ("1e300", nil),
      ("1e999", nil), ("9223372036854775808", nil), ("\"soon\"", nil), ("null", nil), ("[]", nil),
      ("\"nan\"", nil),
    ] as [(String, Double?)]
  )
  func `R11: an absurd expires_in is unknown`(text: String, expected: Double?) throws {
    let body = #"{"access_token":"a","refresh_token":"r","user_id":1,"expires_in":\#(text)}"#
    let session = try SkyConnectAPI().session(from: answer(200, body), model: .accessRefresh)
    #expect(session.expiresIn == expected)
  }

  @Test func `a wrong password is invalidCredentials, with the server's words`() {
    let body = #"{"error": "Wrong email or password"}"#
    let error = error {
      _ = try SkyConnectAPI().session(from: answer(401, body), model: .accessRefresh)
    }
    #expect(error == AuthError(.invalidCredentials, "Wrong email or password", status: 401))
  }

  @Test(
    arguments: [
      (#"{"error":"Email already registered"}"#, ["email"]),
      (#"{"error":"That USERNAME is taken"}"#, ["username"]),
      (#"{"message":"E-mail in use"}"#, ["email"]),
      (#"{"error":"Email or username already taken"}"#, ["email", "username"]),
      (#"{"error":"Conflict"}"#, ["email", "username"]),
      ("", ["email", "username"]),
      (#"{"error":"Conflict","fields":{"username":"taken"}}"#, ["username"]),
    ]
  )
  func `409 is put on the field it names, else on both`(body: String, fields: [String]) {
    for api: any AuthAPI in [SkyConnectAPI(), KSNAPI()] {
      let error = error { _ = try api.session(from: answer(409, body), model: .accessRefresh) }
      #expect(error?.code == .rejected)
      #expect(error?.status == 409)
      #expect(error?.fields.keys.sorted() == fields)
    }
  }

  @Test(
    arguments: [
      #"{"success":false,"error":"Too young","code":"INVALID_AGE"}"#,
      #"{"success":false,"error":{"code":"INVALID_AGE","message":"Too young"}}"#,
    ]
  )
  func `KSN: 422 INVALID_AGE is put on the date of birth`(body: String) {
    let error = error { _ = try KSNAPI().session(from: answer(422, body), model: .accessRefresh) }
    #expect(error?.code == .rejected)
    #expect(error?.fields == ["dateOfBirth": "Too young"])
  }

  @Test func `a redirect of a login is no answer of the dialect`() {
    let error = error { _ = try KSNAPI().session(from: answer(302, ""), model: .accessRefresh) }
    #expect(error == AuthError(.server, "HTTP 302", status: 302))
  }
}

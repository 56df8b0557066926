import AuthNetworking
import SessionModels
import Testing

@Suite struct RequestTests {
  private let device = DeviceID(rawValue: "device-1")
  private let credentials = Credentials(identifier: "kid@example.com", password: Secret("Pass\"1"))
  private let registration = Registration(
    username: "kid",
    email: "kid@example.com",
    password: Secret("Secure1x"),
    dateOfBirth: CalendarDate(year: 2011, month: 5, day: 15),
    displayName: "Kid"
  )

  private func expect(_ call: APICall?, _ line: String, _ body: String?, token: Bool) {
    #expect(call?.description == line)
    #expect(call?.body.map { String(decoding: $0, as: UTF8.self) } == body)
    #expect(call?.carriesToken == token)
  }

  @Test func `SkyConnect: every call is as the contract's table says`() {
    let api = SkyConnectAPI()
    expect(
      api.login(credentials, device: device),
      "POST /auth/login",
      #"{"email":"kid@example.com","password":"Pass\"1","device_id":"device-1"}"#,
      token: false
    )
    expect(
      api.register(registration, device: .mobileApp),
      "POST /auth/register",
      #"{"username":"kid","email":"kid@example.com","password":"Secure1x","#
        + #""device_id":"mobile-app"}"#,
      token: false
    )
    expect(
      api.refresh(Secret("r1"), device: device),
      "POST /auth/refresh",
      #"{"refresh_token":"r1","device_id":"device-1"}"#,
      token: false
    )
    expect(
      api.logout(refreshToken: Secret("r1"), device: device),
      "POST /auth/logout",
      #"{"refresh_token":"r1","device_id":"device-1"}"#,
      token: true
    )
    expect(
      api.logout(refreshToken: nil, device: device),
      "POST /auth/logout",
      #"{"device_id":"device-1"}"#,
      token: true
    )
    expect(api.currentUser(), "GET /auth/me", nil, token: true)
    expect(api.listSessions(), "GET /sessions", nil, token: true)
    expect(api.revokeSession(id: "a/b?c"), "DELETE /sessions/a%2Fb%3Fc", nil, token: true)
    #expect(api.completeOnboarding() == nil)
    #expect(api.pathPrefix.isEmpty)
    #expect(api.loginIdentifierIsEmail)
    #expect(
      InputField.allCases.map { api.wireName(of: $0) }
        == ["email", "email", "username", "password", "date_of_birth", "display_name"]
    )
  }

  @Test func `KSN: every call is as the contract's table says`() {
    let api = KSNAPI()
    expect(
      api.login(credentials, device: device),
      "POST /auth/login",
      #"{"identifier":"kid@example.com","password":"Pass\"1"}"#,
      token: false
    )
    expect(
      api.register(registration, device: device),
      "POST /auth/register",
      #"{"email":"kid@example.com","username":"kid","password":"Secure1x","#
        + #""dateOfBirth":"2011-05-15","displayName":"Kid"}"#,
      token: false
    )
    expect(
      api.refresh(Secret("r1"), device: device),
      "POST /auth/refresh",
      #"{"refreshToken":"r1"}"#,
      token: false
    )
    expect(
      api.logout(refreshToken: Secret("r1"), device: device),
      "POST /auth/logout",
      #"{"refreshToken":"r1"}"#,
      token: true
    )
    expect(api.logout(refreshToken: nil, device: device), "POST /auth/logout", "{}", token: true)
    expect(api.currentUser(), "GET /users/me", nil, token: true)
    expect(
      api.completeOnboarding(),
      "POST /users/me/onboarding/complete",
      nil,
      token: true
    )
    expect(api.listSessions(), "GET /sessions", nil, token: true)
    expect(api.revokeSession(id: "a/b?c"), "DELETE /sessions/a%2Fb%3Fc", nil, token: true)
    #expect(api.pathPrefix == "/api")
    #expect(!api.loginIdentifierIsEmail)
    #expect(api.wireName(of: .dateOfBirth) == "dateOfBirth")
  }

  @Test func `R9: a call prints neither password nor token`() {
    let calls = [
      SkyConnectAPI().login(credentials, device: device),
      KSNAPI().refresh(Secret("refresh-token-0123456789"), device: device),
    ]
    var dumped = ""
    dump(calls, to: &dumped)
    for text in ["\(calls)", String(reflecting: calls), dumped] {
      #expect(!text.contains("Pass"))
      #expect(!text.contains("refresh-token"))
    }
  }

  @Test(
    arguments: [
      ("/auth/login", true),
      ("auth/register/", true),
      ("//auth//refresh?x=1", true),
      ("/auth/log%6fut", true),
      ("/auth/me", false),
      ("/auth/login/x", false),
      ("/auth", false),
      ("/x/auth/login", false),
      ("", false),
    ]
  )
  func `R12: whoever calls login by hand calls login, in either dialect`(
    path: String,
    isExchange: Bool
  ) throws {
    let base = try HTTPURL(parsing: "https://host/v1/")
    for api: any AuthAPI in [SkyConnectAPI(), KSNAPI()] {
      let url = try api.apiBase(base).appending(path: path)
      #expect(api.isCredentialExchange(url, base: base) == isExchange)
    }
  }

  @Test func `another origin's login is not ours`() throws {
    let base = try HTTPURL(parsing: "https://host")
    let url = try HTTPURL(parsing: "https://other/auth/login")
    #expect(!SkyConnectAPI().isCredentialExchange(url, base: base))
  }

  @Test func `a session id made of dots is refused by the join, not sent elsewhere`() throws {
    let call = try #require(SkyConnectAPI().revokeSession(id: ".."))
    let base = try HTTPURL(parsing: "https://host")
    #expect(throws: HTTPURLError(.dotSegment)) { try base.appending(path: call.path) }
  }
}

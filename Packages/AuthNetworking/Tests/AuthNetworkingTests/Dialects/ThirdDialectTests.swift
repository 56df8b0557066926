import AuthNetworking
import SessionModels
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Acme: OAuth's names, the user inside the token answer, everything below `/v2`.
private struct AcmeAPI: JSONAuthAPI {
  var name: DialectName { DialectName(rawValue: "acme") }
  var pathPrefix: String { "/v2" }
  var loginIdentifierIsEmail: Bool { true }
  var registrationRules: RegistrationRules {
    RegistrationRules(password: PasswordRules(minimumLength: 12), ages: nil)
  }
  var tokenNames: TokenGrant.Names {
    .init(accessToken: "access_token", refreshToken: "refresh_token", expiresIn: "expires_in")
  }

  func wireName(of field: InputField) -> String {
    field == .identifier ? "email" : field.rawValue
  }

  func login(_ credentials: Credentials, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/token",
      body: [
        "grant_type": "password",
        "username": .string(credentials.identifier),
        "password": .string(credentials.password.reveal()),
      ],
      carriesToken: false
    )
  }

  func register(_ registration: Registration, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/users",
      body: [
        "username": .string(registration.username),
        "email": .string(registration.email),
        "password": .string(registration.password.reveal()),
      ],
      carriesToken: false
    )
  }

  func refresh(_ refreshToken: Secret, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/token",
      body: ["grant_type": "refresh_token", "refresh_token": .string(refreshToken.reveal())],
      carriesToken: false
    )
  }

  func logout(refreshToken: Secret?, device: DeviceID) -> APICall {
    var body = JSONObject()
    body["token"] = refreshToken.map { .string($0.reveal()) }
    return APICall(.post, "/revoke", body: .object(body), carriesToken: true)
  }

  func currentUser() -> APICall { APICall(.get, "/userinfo", carriesToken: true) }
  func completeOnboarding() -> APICall? { nil }
  func revokeSession(id: String) -> APICall? { nil }

  func payload(of body: JSONValue) -> JSONValue? { body }

  func owner(in payload: JSONValue) -> SessionOwner? {
    payload["user"].flatMap { user(in: $0) }.map { SessionOwner(id: $0.id, user: $0) }
  }

  func user(in payload: JSONValue) -> User? { User(payload) }
}

@Suite struct ThirdDialectTests {
  @Test func `the article shows this very dialect`() throws {
    let here = URL(filePath: #filePath)
    let package = here.appending(path: "../../../..").standardized
    let article = package.appending(
      path: "Sources/AuthNetworking/AuthNetworking.docc/AddingADialect.md"
    )
    func dialect(_ file: URL) throws -> [Substring] {
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return Array(lines.drop { !$0.hasPrefix("/// Acme") }.prefix { $0 != "}" })
    }
    let shown = try dialect(article)
    #expect(shown.count > 50)
    #expect(try dialect(here).dropFirst(2) == shown.dropFirst(2))
  }

  private let api = AcmeAPI()

  private func answer(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(body.utf8))
  }

  @Test func `a third dialect is one file`() throws {
    let login = answer(
      200,
      #"{"access_token":"a","refresh_token":"r","user":{"id":1,"displayName":"D"}}"#
    )
    let session = try api.session(from: login, model: .accessRefresh)
    #expect(session.session.userID == UserID("1"))
    #expect(session.user?.displayName == "D")
    let rotated = answer(200, #"{"access_token":"b","expires_in":"60"}"#)
    #expect(
      api.refreshOutcome(from: rotated)
        == .rotated(AccessToken(Secret("b")), refreshToken: nil, expiresIn: 60)
    )
    guard case .refused(.revoked, _) = api.refreshOutcome(from: answer(401, "")) else {
      Issue.record("not refused")
      return
    }
    #expect(try api.user(from: answer(200, #"{"id":"x"}"#)).id == UserID("x"))
  }

  @Test func `its own paths are its credential exchanges`() throws {
    let base = try HTTPURL(parsing: "https://host")
    for (path, isExchange) in [("/token", true), ("/users", true), ("/auth/login", false)] {
      let url = try api.apiBase(base).appending(path: path)
      #expect(api.isCredentialExchange(url, base: base) == isExchange)
    }
  }
}

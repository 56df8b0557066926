public import SessionModels

/// KSN: camelCase in the envelope `{success, data}`, below `/api`.
public struct KSNAPI: JSONAuthAPI {
  /// The dialect; it has no state.
  public init() {}

  /// `ksn`.
  public var name: DialectName { .ksn }
  /// `/api`.
  public var pathPrefix: String { "/api" }
  /// A username signs in, too.
  public var loginIdentifierIsEmail: Bool { false }
  /// A strong password, and 13 to 25 years.
  public var registrationRules: RegistrationRules { .ksn }
  /// `accessToken` and so on.
  public var tokenNames: TokenGrant.Names {
    .init(accessToken: "accessToken", refreshToken: "refreshToken", expiresIn: "expiresIn")
  }

  /// The field's own name: the wire is camelCase.
  public func wireName(of field: InputField) -> String { field.rawValue }

  /// `POST /api/auth/login`.
  public func login(_ credentials: Credentials, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/auth/login",
      body: [
        "identifier": .string(credentials.identifier),
        "password": .string(credentials.password.reveal()),
      ],
      carriesToken: false
    )
  }

  /// `POST /api/auth/register`.
  public func register(_ registration: Registration, device: DeviceID) -> APICall {
    var body = JSONObject([
      ("email", .string(registration.email)),
      ("username", .string(registration.username)),
      ("password", .string(registration.password.reveal())),
    ])
    body["dateOfBirth"] = registration.dateOfBirth.map { .string($0.description) }
    body["displayName"] = registration.displayName.map { .string($0) }
    return APICall(.post, "/auth/register", body: .object(body), carriesToken: false)
  }

  /// `POST /api/auth/refresh`.
  public func refresh(_ refreshToken: Secret, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/auth/refresh",
      body: ["refreshToken": .string(refreshToken.reveal())],
      carriesToken: false
    )
  }

  /// `POST /api/auth/logout`.
  public func logout(refreshToken: Secret?, device: DeviceID) -> APICall {
    var body = JSONObject()
    body["refreshToken"] = refreshToken.map { .string($0.reveal()) }
    return APICall(.post, "/auth/logout", body: .object(body), carriesToken: true)
  }

  /// `GET /api/users/me`.
  public func currentUser() -> APICall { APICall(.get, "/users/me", carriesToken: true) }

  /// `POST /api/users/me/onboarding/complete`.
  public func completeOnboarding() -> APICall? {
    APICall(.post, "/users/me/onboarding/complete", carriesToken: true)
  }

  /// `GET /api/sessions`; a backend without it answers 404.
  public func listSessions() -> APICall? { APICall(.get, "/sessions", carriesToken: true) }

  /// `DELETE /api/sessions/{id}`; a backend without it answers 404.
  public func revokeSession(id: String) -> APICall? {
    APICall(.delete, "/sessions/\(HTTPURL.segment(id))", carriesToken: true)
  }

  /// `data`, but only beside `success: true`: a 200 may well say that it failed.
  public func payload(of body: JSONValue) -> JSONValue? {
    body["success"]?.bool == true ? body["data"] : nil
  }

  /// `data.user`.
  public func owner(in payload: JSONValue) -> SessionOwner? {
    payload["user"].flatMap { User($0) }.map { SessionOwner(id: $0.id, user: $0) }
  }

  /// `data` itself, or `data.user` as at sign-in.
  public func user(in payload: JSONValue) -> User? {
    User(payload) ?? payload["user"].flatMap { User($0) }
  }
}

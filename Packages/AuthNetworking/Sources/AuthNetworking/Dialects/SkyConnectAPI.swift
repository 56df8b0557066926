public import SessionModels

/// SkyConnect: flat snake_case bodies, no prefix, a device id with every credential.
public struct SkyConnectAPI: JSONAuthAPI {
  /// The dialect; it has no state.
  public init() {}

  /// `skyconnect`.
  public var name: DialectName { .skyConnect }
  /// None.
  public var pathPrefix: String { "" }
  /// Only an e-mail address signs in.
  public var loginIdentifierIsEmail: Bool { true }
  /// E-mail address, username and any password.
  public var registrationRules: RegistrationRules { .skyConnect }
  /// `access_token` and so on.
  public var tokenNames: TokenGrant.Names {
    .init(accessToken: "access_token", refreshToken: "refresh_token", expiresIn: "expires_in")
  }

  /// The field in snake_case; whoever signs in does so by `email`.
  public func wireName(of field: InputField) -> String {
    switch field {
    case .identifier: "email"
    default: SkyConnectAPI.snakeCase(field.rawValue)
    }
  }

  /// `POST /auth/login`.
  public func login(_ credentials: Credentials, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/auth/login",
      body: [
        "email": .string(credentials.identifier),
        "password": .string(credentials.password.reveal()),
        "device_id": .string(device.rawValue),
      ],
      carriesToken: false
    )
  }

  /// `POST /auth/register`.
  public func register(_ registration: Registration, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/auth/register",
      body: [
        "username": .string(registration.username),
        "email": .string(registration.email),
        "password": .string(registration.password.reveal()),
        "device_id": .string(device.rawValue),
      ],
      carriesToken: false
    )
  }

  /// `POST /auth/refresh`.
  public func refresh(_ refreshToken: Secret, device: DeviceID) -> APICall {
    APICall(
      .post,
      "/auth/refresh",
      body: [
        "refresh_token": .string(refreshToken.reveal()),
        "device_id": .string(device.rawValue),
      ],
      carriesToken: false
    )
  }

  /// `POST /auth/logout`.
  public func logout(refreshToken: Secret?, device: DeviceID) -> APICall {
    var body = JSONObject()
    body["refresh_token"] = refreshToken.map { .string($0.reveal()) }
    body["device_id"] = .string(device.rawValue)
    return APICall(.post, "/auth/logout", body: .object(body), carriesToken: true)
  }

  /// `GET /auth/me`.
  public func currentUser() -> APICall { APICall(.get, "/auth/me", carriesToken: true) }

  /// SkyConnect has no onboarding.
  public func completeOnboarding() -> APICall? { nil }

  /// `GET /sessions`.
  public func listSessions() -> APICall? { APICall(.get, "/sessions", carriesToken: true) }

  /// `DELETE /sessions/{id}`.
  public func revokeSession(id: String) -> APICall? {
    APICall(.delete, "/sessions/\(HTTPURL.segment(id))", carriesToken: true)
  }

  /// The body itself: there is no envelope.
  public func payload(of body: JSONValue) -> JSONValue? { body }

  /// `user_id`, and `identity_seed` where it is sent; a seed that is no text is no session.
  public func owner(in payload: JSONValue) -> SessionOwner? {
    guard let id = UserID(payload["user_id"]) else { return nil }
    switch payload["identity_seed"] {
    case nil, .null?: return SessionOwner(id: id)
    case .string(let seed)?: return SessionOwner(id: id, identitySeed: Secret(seed))
    default: return nil
    }
  }

  /// The user with its fields in snake_case.
  public func user(in payload: JSONValue) -> User? {
    User(payload, wireName: SkyConnectAPI.snakeCase)
  }

  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { result, character in
      result += character.isUppercase ? "_" + character.lowercased() : String(character)
    }
  }
}

public import SessionModels

/// One dialect of the auth API: requests out, answers in, nothing else.
///
/// An implementation is pure: it has no clock, no state and no I/O, and it decides nothing about
/// sessions beyond what an answer says. How to add one is told in <doc:AddingADialect>.
public protocol AuthAPI: Sendable {
  /// The dialect's name, as it is configured and stored.
  var name: DialectName { get }

  /// What stands between the base URL and every path: empty, or e.g. `/api`.
  var pathPrefix: String { get }

  /// Whether only an e-mail address signs in (else also a username).
  var loginIdentifierIsEmail: Bool { get }

  /// What a registration must fulfil before the network is asked.
  var registrationRules: RegistrationRules { get }

  /// The wire's name of an input field.
  func wireName(of field: InputField) -> String

  /// Signs in. The body holds the password.
  func login(_ credentials: Credentials, device: DeviceID) -> APICall

  /// Makes an account and signs in. The body holds the password.
  func register(_ registration: Registration, device: DeviceID) -> APICall

  /// Spends a refresh token. The body holds it.
  func refresh(_ refreshToken: Secret, device: DeviceID) -> APICall

  /// Revokes the session. `refreshToken` is nil in the opaque model.
  func logout(refreshToken: Secret?, device: DeviceID) -> APICall

  /// Asks who is signed in.
  func currentUser() -> APICall

  /// Marks onboarding as done; nil where the dialect has no onboarding.
  func completeOnboarding() -> APICall?

  /// Asks for the user's sessions on all devices; nil where the dialect cannot, as by default.
  func listSessions() -> APICall?

  /// Revokes one session (token family) by its id; nil where the dialect cannot.
  func revokeSession(id: String) -> APICall?

  /// Reads the answer to ``login(_:device:)`` or ``register(_:device:)``.
  ///
  /// - Throws: ``AuthError``: a 401 is ``AuthError/Code/invalidCredentials``; a 2xx that is not of
  ///   this dialect's form, or fits another token model than `model`, is
  ///   ``AuthError/Code/server``, and nothing may be stored of it; all else as ``failure(from:)``.
  func session(
    from response: HTTPResponse,
    model: TokenModel
  ) throws(AuthError) -> SignInAnswer

  /// Reads the answer to ``refresh(_:device:)``. Only a 401, or a 400 or 403 that says
  /// `invalid_grant` in the dialect's words, refuses; everything unclear is temporary (R5).
  func refreshOutcome(from response: HTTPResponse) -> RefreshAnswer

  /// Reads an answer that is no success.
  func failure(from response: HTTPResponse) -> AuthError

  /// Reads a user out of an answer to ``currentUser()`` or ``completeOnboarding()``.
  ///
  /// - Throws: ``AuthError``, as ``session(from:model:)`` but for the 401, which is
  ///   ``AuthError/Code/rejected``.
  func user(from response: HTTPResponse) throws(AuthError) -> User

  /// Reads the answer to ``listSessions()``.
  ///
  /// - Throws: ``AuthError``, as ``user(from:)``; `rejected` by default.
  func sessions(from response: HTTPResponse) throws(AuthError) -> [ServerSession]
}

extension AuthAPI {
  /// Sessions cannot be listed.
  public func listSessions() -> APICall? { nil }

  /// Sessions cannot be listed.
  public func sessions(from response: HTTPResponse) throws(AuthError) -> [ServerSession] {
    throw AuthError(.rejected, "\(name) cannot list sessions", status: response.status)
  }
}

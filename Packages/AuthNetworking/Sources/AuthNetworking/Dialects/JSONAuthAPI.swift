public import SessionModels

/// A dialect whose answers are JSON objects: it says what things are called and where they
/// stand, and the reading is done for it.
///
/// Both dialects of this package are written in this way, and a third one best is too, see
/// <doc:AddingADialect>. Every default below can be replaced by the dialect's own.
public protocol JSONAuthAPI: AuthAPI {
  /// What the wire calls the tokens.
  var tokenNames: TokenGrant.Names { get }

  /// What a successful answer carries inside its envelope; nil where the envelope is wrong, or
  /// says in itself that the call failed.
  func payload(of body: JSONValue) -> JSONValue?

  /// Whose session a login or a registration opened; nil where the payload does not say.
  func owner(in payload: JSONValue) -> SessionOwner?

  /// The user in a payload; nil where there is none.
  func user(in payload: JSONValue) -> User?
}

/// Whose session it is, as an answer says it.
public struct SessionOwner: Equatable, Sendable {
  /// The user's id.
  public var id: UserID
  /// The user, where the dialect sends one.
  public var user: User?
  /// The root of the user's end-to-end identity, where the dialect sends one.
  public var identitySeed: Secret?

  /// An owner from its parts.
  public init(id: UserID, user: User? = nil, identitySeed: Secret? = nil) {
    self.id = id
    self.user = user
    self.identitySeed = identitySeed
  }
}

extension JSONAuthAPI {
  /// Reads the tokens and their owner; a 409 and an invalid age are put on their fields.
  public func session(
    from response: HTTPResponse,
    model: TokenModel
  ) throws(AuthError) -> SignInAnswer {
    guard response.isSuccess else { throw signInFailure(from: response) }
    guard let payload = payload(of: response.json),
      let grant = TokenGrant(payload, names: tokenNames), let owner = owner(in: payload)
    else { throw .malformed(response, "The server's answer is no session of \(name)") }
    guard grant.fits(model) else {
      throw AuthError(
        .server,
        "The server's answer does not fit the token model \(model.rawValue)",
        status: response.status
      )
    }
    return SignInAnswer(
      session: Session(
        accessToken: grant.accessToken,
        refreshToken: grant.refreshToken,
        userID: owner.id,
        identitySeed: owner.identitySeed
      ),
      user: owner.user,
      expiresIn: grant.expiresIn
    )
  }

  /// Reads a refresh: a 401, or an allow-listed code of a 400 or 403, refuses; the rest is
  /// temporary, whatever it is (R5).
  public func refreshOutcome(from response: HTTPResponse) -> RefreshAnswer {
    if response.isSuccess {
      guard let payload = payload(of: response.json),
        let grant = TokenGrant(payload, names: tokenNames)
      else {
        return .temporary(.malformed(response, "The server's answer is no refresh of \(name)"))
      }
      return .rotated(
        grant.accessToken,
        refreshToken: grant.refreshToken,
        expiresIn: grant.expiresIn
      )
    }
    var error = failure(from: response)
    if let reason = RefreshRefusal.reason(status: response.status, body: response.json) {
      error.code = .sessionEnded
      error.signOutReason = reason
      return .refused(reason, error)
    }
    if !error.isTemporary { error.code = .server }
    return .temporary(error)
  }

  /// Reads status, text, fields and `Retry-After`.
  public func failure(from response: HTTPResponse) -> AuthError { AuthError(response: response) }

  /// Reads the user in the payload.
  public func user(from response: HTTPResponse) throws(AuthError) -> User {
    guard response.isSuccess else { throw failure(from: response) }
    guard let user = payload(of: response.json).flatMap({ user(in: $0) }) else {
      throw .malformed(response, "The server's answer is no user of \(name)")
    }
    return user
  }

  /// Reads the sessions in the payload: an array, or the array `sessions` in it.
  public func sessions(from response: HTTPResponse) throws(AuthError) -> [ServerSession] {
    guard response.isSuccess else { throw failure(from: response) }
    let payload = payload(of: response.json)
    guard let list = payload?.array ?? payload?["sessions"]?.array else {
      throw .malformed(response, "The server's answer is no list of sessions of \(name)")
    }
    return list.compactMap { ServerSession($0) }
  }

  private func signInFailure(from response: HTTPResponse) -> AuthError {
    var error = failure(from: response)
    switch response.status {
    case 401: error.code = .invalidCredentials
    case 409 where error.fields.isEmpty:
      for field in SignInConflict.fields(in: error.message) {
        error.fields[wireName(of: field)] = error.message
      }
    case 422 where FailureCode.all(in: response.json).contains("INVALID_AGE"):
      let field = wireName(of: .dateOfBirth)
      if error.fields[field] == nil { error.fields[field] = error.message }
    default: break
    }
    return error
  }
}

/// What a signed access token says.
struct AccessTokenClaims: Equatable, Sendable {
  /// `sub`: the user's id.
  let userID: String
  /// `sid`: the session's id, looked up in the deny-list at each request.
  let sessionID: String
  /// `device_id`; nil where the dialect sends none.
  let deviceID: String?
  /// When it was made, in milliseconds since 1970; `iat` holds the seconds, `jti` the rest.
  let issuedAt: Int64
  /// `exp`, in seconds since 1970.
  let expiry: Int64
  /// A random part that makes two tokens of one millisecond differ.
  let nonce: String

  /// The claims as the token's payload.
  var payload: JSONValue {
    .of([
      "sub": .string(userID),
      "sid": .string(sessionID),
      "device_id": deviceID.map(JSONValue.string),
      "iat": .integer(issuedAt.flooredQuotient(1_000)),
      "exp": .integer(expiry),
      "jti": .string("\(issuedAt)-\(nonce)"),
    ])
  }

  init(
    userID: String,
    sessionID: String,
    deviceID: String?,
    issuedAt: Int64,
    expiry: Int64,
    nonce: String
  ) {
    (self.userID, self.sessionID, self.deviceID) = (userID, sessionID, deviceID)
    (self.issuedAt, self.expiry, self.nonce) = (issuedAt, expiry, nonce)
  }

  /// The claims of a payload; nil where one is missing or of another type.
  init?(payload: JSONValue) {
    guard let userID = payload["sub"]?.text, let sessionID = payload["sid"]?.text,
      let expiry = payload["exp"]?.integer, let id = payload["jti"]?.text,
      let dash = id.firstIndex(of: "-"), let issuedAt = Int64(id[..<dash])
    else { return nil }
    self.init(
      userID: userID,
      sessionID: sessionID,
      deviceID: payload["device_id"]?.text,
      issuedAt: issuedAt,
      expiry: expiry,
      nonce: String(id[id.index(after: dash)...])
    )
  }
}

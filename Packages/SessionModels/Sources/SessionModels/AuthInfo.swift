#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Everything that is persisted about a signed-in user, as one value.
///
/// It encodes its secrets on purpose: it exists to be sealed by an encrypted store and must go
/// nowhere else. Its descriptions show none of them.
public struct AuthInfo: Equatable, Sendable {
  /// The tokens and whose they are.
  public var session: Session
  /// The user as last seen; nil where the backend did not say.
  public var user: User?
  /// When the access token expires by the server's clock: its own `exp`, else what `expires_in`
  /// gave; nil where neither is known (the token is then used until a 401).
  public var accessTokenExpiresAt: Date?
  /// The access token's whole lifetime in seconds, for the leeway of R11; nil where unknown.
  public var accessTokenLifetime: Double?
  /// The dialect that the session was made in.
  public var dialect: DialectName
  /// The model that the session was made in.
  public var tokenModel: TokenModel
  /// The backend that the session belongs to, whose origin is the only one to get a token (R8).
  public var baseURL: String
  /// The device id that the session is bound to.
  public var deviceID: DeviceID
  /// When the user last gave a password for this session, by the server's clock; nil where that
  /// was not recorded yet.
  public var authenticatedAt: Date?

  /// A signed-in user from its parts.
  public init(
    session: Session,
    user: User? = nil,
    accessTokenExpiresAt: Date? = nil,
    accessTokenLifetime: Double? = nil,
    dialect: DialectName,
    tokenModel: TokenModel,
    baseURL: String,
    deviceID: DeviceID,
    authenticatedAt: Date? = nil
  ) {
    self.session = session
    self.user = user
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.accessTokenLifetime = accessTokenLifetime
    self.dialect = dialect
    self.tokenModel = tokenModel
    self.baseURL = baseURL
    self.deviceID = deviceID
    self.authenticatedAt = authenticatedAt
  }
}

extension AuthInfo: Codable {
  private enum CodingKeys: String, CodingKey {
    case accessToken, refreshToken, userID, identitySeed, user, accessTokenExpiresAt
    case accessTokenLifetime, dialect, tokenModel, baseURL, deviceID, authenticatedAt
  }

  /// Decodes the stored form; unknown keys are ignored.
  ///
  /// - Throws: `DecodingError` where a needed key is missing or of another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func secret(_ key: CodingKeys) throws -> Secret? {
      try container.decodeIfPresent(String.self, forKey: key).map { Secret($0) }
    }
    self.init(
      session: Session(
        accessToken: try secret(.accessToken).map { AccessToken($0) },
        refreshToken: try secret(.refreshToken),
        userID: try container.decode(UserID.self, forKey: .userID),
        identitySeed: try secret(.identitySeed)
      ),
      user: try container.decodeIfPresent(User.self, forKey: .user),
      accessTokenExpiresAt: try container.decodeIfPresent(
        Double.self,
        forKey: .accessTokenExpiresAt
      ).map { Date(timeIntervalSince1970: $0) },
      accessTokenLifetime: try container.decodeIfPresent(Double.self, forKey: .accessTokenLifetime),
      dialect: try container.decode(DialectName.self, forKey: .dialect),
      tokenModel: try container.decode(TokenModel.self, forKey: .tokenModel),
      baseURL: try container.decode(String.self, forKey: .baseURL),
      deviceID: try container.decode(DeviceID.self, forKey: .deviceID),
      authenticatedAt: try container.decodeIfPresent(Double.self, forKey: .authenticatedAt)
        .map { Date(timeIntervalSince1970: $0) }
    )
  }

  /// Encodes the stored form, secrets included: for an encrypted store only.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(session.accessToken?.secret.reveal(), forKey: .accessToken)
    try container.encodeIfPresent(session.refreshToken?.reveal(), forKey: .refreshToken)
    try container.encode(session.userID, forKey: .userID)
    try container.encodeIfPresent(session.identitySeed?.reveal(), forKey: .identitySeed)
    try container.encodeIfPresent(user, forKey: .user)
    // JSON has no infinity; a session must not fail to be stored for an absurd `expires_in`.
    try container.encodeIfPresent(
      accessTokenExpiresAt?.timeIntervalSince1970.ifFinite,
      forKey: .accessTokenExpiresAt
    )
    try container.encodeIfPresent(accessTokenLifetime?.ifFinite, forKey: .accessTokenLifetime)
    try container.encode(dialect, forKey: .dialect)
    try container.encode(tokenModel, forKey: .tokenModel)
    try container.encode(baseURL, forKey: .baseURL)
    try container.encode(deviceID, forKey: .deviceID)
    try container.encodeIfPresent(
      authenticatedAt?.timeIntervalSince1970.ifFinite,
      forKey: .authenticatedAt
    )
  }
}

extension Double {
  fileprivate var ifFinite: Double? { isFinite ? self : nil }
}

/// What a backend hands out at sign-in: the proof of who the user is.
public struct Session: Equatable, Sendable {
  /// The bearer token; in the opaque model the session id.
  ///
  /// Nil where it is kept in memory only and this process has not asked for one yet.
  public var accessToken: AccessToken?
  /// The refresh token; nil in the opaque model.
  public var refreshToken: Secret?
  /// Whose session it is.
  public var userID: UserID
  /// The root of the user's end-to-end identity; SkyConnect only.
  public var identitySeed: Secret?

  /// A session from its parts.
  public init(
    accessToken: AccessToken?,
    refreshToken: Secret?,
    userID: UserID,
    identitySeed: Secret? = nil
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.userID = userID
    self.identitySeed = identitySeed
  }
}

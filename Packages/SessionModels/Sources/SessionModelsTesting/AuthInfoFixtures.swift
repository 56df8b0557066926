public import SessionModels

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What is persisted about signed-in users, for tests.
public enum AuthInfoFixtures {
  /// Every secret in ``signedIn(userID:dialect:baseURL:)``, for searching output and files.
  public static let secrets = [
    TokenFixtures.jwt(expiresAt: 1_700_000_900).reveal(),
    "refresh-token-of-the-fixture-0123456789",
    "identity-seed-of-the-fixture-0123456789",
  ]

  /// A user with an access token that expires at 1,700,000,900 s and lives for 900 s.
  public static func signedIn(
    userID: UserID = UserID("user-1"),
    dialect: DialectName = .skyConnect,
    baseURL: String = "https://api.example.com"
  ) -> AuthInfo {
    for secret in secrets { SecretSweep.made(text: secret) }
    return AuthInfo(
      session: Session(
        accessToken: AccessToken(Secret(secrets[0])),
        refreshToken: Secret(secrets[1]),
        userID: userID,
        identitySeed: Secret(secrets[2])
      ),
      user: UserFixtures.complete(id: userID),
      accessTokenExpiresAt: Date(timeIntervalSince1970: 1_700_000_900),
      accessTokenLifetime: 900,
      dialect: dialect,
      tokenModel: .accessRefresh,
      baseURL: baseURL,
      deviceID: DeviceID(rawValue: "device-1")
    )
  }
}

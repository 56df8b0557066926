public import SessionModels

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Users for tests.
public enum UserFixtures {
  /// A user of whom everything is known, and whose `grade` and `school` differ in their state.
  public static func complete(id: UserID = UserID("user-1")) -> User {
    User(
      id: id,
      username: "coolkid",
      email: "kid@example.com",
      displayName: "Cool Kid",
      isMinor: true,
      requiresParentalConsent: false,
      createdAt: Date(timeIntervalSince1970: 1_776_420_000.125),
      onboardingCompleted: true,
      isStudentVerified: true,
      grade: .value("9"),
      school: .none
    )
  }

  /// A user as SkyConnect tells: an id, and all else unknown or hidden.
  public static func bare(id: UserID = UserID("user-1")) -> User { User(id: id) }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A user, as far as the backend tells this viewer.
///
/// Everything but the id is optional, since SkyConnect sends little more than that. A missing
/// `isStudentVerified` is unknown (an older backend), not false.
public struct User: Hashable, Sendable, Identifiable {
  /// The id, a string always.
  public var id: UserID
  /// The name to sign in with.
  public var username: String?
  /// The e-mail address; nil where the backend does not tell.
  public var email: String?
  /// The name to show.
  public var displayName: String?
  /// Whether the user is a minor; nil where unknown.
  public var isMinor: Bool?
  /// Whether a parent has to agree first; nil where unknown.
  public var requiresParentalConsent: Bool?
  /// When the account was made; nil where unknown or unreadable.
  public var createdAt: Date?
  /// Whether onboarding is done; nil where unknown.
  ///
  /// False routes to onboarding, resumed at the education screen.
  public var onboardingCompleted: Bool?
  /// Whether to show the verified badge; nil is unknown, not false.
  public var isStudentVerified: Bool?
  /// The grade at the current school.
  public var grade: Disclosed<String>
  /// The current school.
  public var school: Disclosed<String>

  /// A user; what is not given is unknown or hidden.
  public init(
    id: UserID,
    username: String? = nil,
    email: String? = nil,
    displayName: String? = nil,
    isMinor: Bool? = nil,
    requiresParentalConsent: Bool? = nil,
    createdAt: Date? = nil,
    onboardingCompleted: Bool? = nil,
    isStudentVerified: Bool? = nil,
    grade: Disclosed<String> = .hidden,
    school: Disclosed<String> = .hidden
  ) {
    self.id = id
    self.username = username
    self.email = email
    self.displayName = displayName
    self.isMinor = isMinor
    self.requiresParentalConsent = requiresParentalConsent
    self.createdAt = createdAt
    self.onboardingCompleted = onboardingCompleted
    self.isStudentVerified = isStudentVerified
    self.grade = grade
    self.school = school
  }
}

extension User: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, username, email, displayName, isMinor, requiresParentalConsent, createdAt
    case onboardingCompleted, isStudentVerified, grade, school
  }

  /// Decodes the camelCase form that KSN sends and that is stored at rest.
  ///
  /// `createdAt` is RFC 3339 text; one that cannot be read is taken for missing, so that a
  /// backend's new date format does not lock anybody out.
  ///
  /// - Throws: `DecodingError` where the id is missing or a field has another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(UserID.self, forKey: .id),
      username: try container.decodeIfPresent(String.self, forKey: .username),
      email: try container.decodeIfPresent(String.self, forKey: .email),
      displayName: try container.decodeIfPresent(String.self, forKey: .displayName),
      isMinor: try container.decodeIfPresent(Bool.self, forKey: .isMinor),
      requiresParentalConsent: try container.decodeIfPresent(
        Bool.self,
        forKey: .requiresParentalConsent
      ),
      createdAt: (try? container.decodeIfPresent(String.self, forKey: .createdAt))
        .flatMap { $0 }.flatMap(Instant.date(parsing:)),
      onboardingCompleted: try container.decodeIfPresent(Bool.self, forKey: .onboardingCompleted),
      isStudentVerified: try container.decodeIfPresent(Bool.self, forKey: .isStudentVerified),
      grade: try container.decodeDisclosed(String.self, forKey: .grade),
      school: try container.decodeDisclosed(String.self, forKey: .school)
    )
  }

  /// Encodes the same form; unknown fields are left out, the three states of `grade` and
  /// `school` are kept.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encodeIfPresent(username, forKey: .username)
    try container.encodeIfPresent(email, forKey: .email)
    try container.encodeIfPresent(displayName, forKey: .displayName)
    try container.encodeIfPresent(isMinor, forKey: .isMinor)
    try container.encodeIfPresent(requiresParentalConsent, forKey: .requiresParentalConsent)
    try container.encodeIfPresent(createdAt.map(Instant.text(of:)), forKey: .createdAt)
    try container.encodeIfPresent(onboardingCompleted, forKey: .onboardingCompleted)
    try container.encodeIfPresent(isStudentVerified, forKey: .isStudentVerified)
    try container.encodeDisclosed(grade, forKey: .grade)
    try container.encodeDisclosed(school, forKey: .school)
  }
}

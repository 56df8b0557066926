/// A registration whose fields are in order.
struct RegistrationForm: Equatable, Sendable {
  let email: String
  let username: String
  let password: String
  let dateOfBirth: CivilDate?
  let displayName: String?

  /// Longer passwords would only cost time to hash; in bytes.
  static let maximumPasswordSize = 256

  /// The account that it becomes, under a new id.
  func user(now: Int64) -> UserRecord {
    UserRecord(
      id: Entropy.id("usr"),
      username: username,
      email: email,
      displayName: displayName,
      dateOfBirth: dateOfBirth,
      identitySeed: Entropy.secret(),
      createdAt: now,
      onboardingCompleted: false,
      isStudentVerified: false,
      grade: nil,
      school: nil
    )
  }
}

/// What is wrong with a field; nil where nothing is.
enum FieldRule {
  static func email(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let isPlausible =
      parts.count == 2 && !parts[0].isEmpty && text.utf8.count <= 254
      && parts[1].split(separator: ".", omittingEmptySubsequences: false).count >= 2
      && !parts[1].split(separator: ".", omittingEmptySubsequences: false).contains("")
      && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
      && !text.contains(where: \.isWhitespace)
    return isPlausible ? nil : "Invalid email address"
  }

  /// An @ is refused, so that a name never passes for somebody's e-mail address.
  static func username(_ text: String) -> String? {
    let isFine =
      (1...64).contains(text.count) && text.utf8.count <= 256 && !text.contains("@")
      && text.first?.isWhitespace == false && text.last?.isWhitespace == false
      && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    return isFine ? nil : "Username must have 1 to 64 characters, and no @"
  }

  /// SkyConnect's: there must be one.
  static func anyPassword(_ text: String) -> String? {
    if text.isEmpty { return "Password is required" }
    return isTooLong(text) ? tooLong : nil
  }

  /// KSN's: at least 8 characters, with an upper-case letter and a digit.
  static func strongPassword(_ text: String) -> String? {
    if isTooLong(text) { return tooLong }
    let isStrong =
      text.count >= 8 && text.contains(where: \.isUppercase)
      && text.contains(where: \.isWholeNumber)
    return isStrong
      ? nil : "Password must have at least 8 characters, with an upper-case letter and a number"
  }

  static func displayName(_ text: String) -> String? {
    text.count <= 100 && text.utf8.count <= 400 ? nil : "Display name is too long"
  }

  /// Empty is fine where a device id is optional; it is an opaque text otherwise.
  static func deviceID(_ text: String) -> String? {
    (1...200).contains(text.utf8.count) ? nil : "device_id must have 1 to 200 bytes"
  }

  private static func isTooLong(_ text: String) -> Bool {
    text.utf8.count > RegistrationForm.maximumPasswordSize
  }

  private static let tooLong =
    "Password must have at most \(RegistrationForm.maximumPasswordSize) bytes"
}

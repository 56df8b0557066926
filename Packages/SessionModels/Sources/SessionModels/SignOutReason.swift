/// Why nobody is signed in.
///
/// A reason that this build does not know is kept.
public struct SignOutReason: RawRepresentable, Hashable, Sendable, Codable {
  /// The reason's name, as `status --json` prints it.
  public let rawValue: String

  /// A reason by name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Nobody has signed in yet.
  public static let never = SignOutReason(rawValue: "never")
  /// The user signed out.
  public static let userRequested = SignOutReason(rawValue: "userRequested")
  /// The server revoked the session.
  public static let revoked = SignOutReason(rawValue: "revoked")
  /// A spent refresh token was presented: the server takes it for theft.
  public static let reuseDetected = SignOutReason(rawValue: "reuseDetected")
  /// The refresh token was too old.
  public static let refreshExpired = SignOutReason(rawValue: "refreshExpired")
  /// A refresh was interrupted, and its token was refused when it was sent again.
  public static let interruptedRefresh = SignOutReason(rawValue: "interruptedRefresh")
  /// The key of the store is gone for good.
  public static let keyLost = SignOutReason(rawValue: "keyLost")
  /// What was stored was changed from outside.
  public static let tampered = SignOutReason(rawValue: "tampered")
  /// The server says that the session belongs to another device.
  public static let deviceMismatch = SignOutReason(rawValue: "deviceMismatch")
}

extension SignOutReason: CustomStringConvertible {
  /// The reason's name.
  public var description: String { rawValue }
}

/// One line of what the session does, for an injected handler.
///
/// Holds no secret (R9).
public struct SessionLogEntry: Sendable, CustomStringConvertible {
  /// How much it matters.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// Each request and each step of a refresh.
    case debug
    /// What changes the session.
    case info
    /// What failed for now.
    case warning
    /// What failed and needs somebody.
    case error

    /// Less important levels come first.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// How much it matters.
  public var level: Level
  /// What happened.
  public var message: String
  /// The `X-Request-Id` that it belongs to.
  public var requestID: String?

  /// Message and request id in one line.
  public var description: String {
    requestID.map { "\(message) [\($0)]" } ?? message
  }
}

/// Takes log entries; called on any thread, never with a lock held.
public typealias SessionLog = @Sendable (SessionLogEntry) -> Void

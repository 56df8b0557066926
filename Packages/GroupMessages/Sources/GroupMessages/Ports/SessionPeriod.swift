/// One signed-in period of one account: from a sign-in to whatever ends it.
///
/// What this package keeps or sends for a user names the period that it belongs to, and is taken
/// for nobody else's (R4).
public struct SessionPeriod: Hashable, Sendable {
  /// The session's generation: another one after each sign-in and each sign-out, never after a
  /// refresh.
  public let generation: UInt64

  /// The period of a generation.
  public init(generation: UInt64) { self.generation = generation }
}

public import SessionModels

/// Everything about the stored session, written as one atomic, durable value.
public struct SessionRecord: Equatable, Sendable, Codable {
  /// Names one signed-in period.
  ///
  /// Random, and another one after each sign-in and each sign-out, never after a refresh.
  /// Whoever commits the result of something slow compares it first (R4).
  public var generation: UInt64
  /// Who is signed in, or nil.
  public var authInfo: AuthInfo?
  /// Why nobody is signed in; of no meaning while somebody is.
  public var signOutReason: SignOutReason
  /// The refresh that has no conclusive answer yet, or of which something may be on its way (R2,
  /// R3).
  public var attempt: RefreshAttempt?
  /// What to add to the device's clock to get the server's, in seconds, as last learnt with a
  /// sign-in or a refresh (R11); nil where unknown.
  public var serverClockOffset: Double?
  /// The same by the time that the device has been running; nil where it does not say that.
  public var serverClockAnchor: ServerClockAnchor?
  /// The last refreshes that a 401 caused, oldest first; nil where there was none.
  public var forcedRefreshes: [ForcedRefresh]?

  /// A record from its parts.
  public init(
    generation: UInt64,
    authInfo: AuthInfo?,
    signOutReason: SignOutReason,
    attempt: RefreshAttempt? = nil,
    serverClockOffset: Double? = nil,
    serverClockAnchor: ServerClockAnchor? = nil,
    forcedRefreshes: [ForcedRefresh]? = nil
  ) {
    self.generation = generation
    self.authInfo = authInfo
    self.signOutReason = signOutReason
    self.attempt = attempt
    self.serverClockOffset = serverClockOffset
    self.serverClockAnchor = serverClockAnchor
    self.forcedRefreshes = forcedRefreshes
  }

  /// Nobody has ever signed in: what an empty store holds.
  public static let empty = SessionRecord(generation: 0, authInfo: nil, signOutReason: .never)
}

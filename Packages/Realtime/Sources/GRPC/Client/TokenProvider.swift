public import Secrets

/// Where a channel gets its bearer token from.
///
/// A provider that knows its token at once may implement it without `async`.
///
/// It is asked and awaited when a call's stream is about to start, every time: a token is never
/// kept by the channel, so it is never stale (R11).
public protocol TokenProvider: Sendable {
  /// The token for the call that is about to start; nil sends the call without one.
  ///
  /// - Throws: when there is none to be had. The call then ends with UNAUTHENTICATED, nothing was
  ///   sent, and the error is passed through in ``GRPCError/tokenError``.
  func token() async throws -> Secret?

  /// Called when the server answered UNAUTHENTICATED to a call that carried `token`, once a call.
  ///
  /// Make one refresh, or none when another token is in use already (R7).
  ///
  /// - Parameter token: the token that was refused.
  /// - Returns: true when ``token()`` now gives another one, so that the call is tried once more.
  /// - Throws: as ``token()``.
  func tokenWasRefused(_ token: Secret) async throws -> Bool

  /// Whether an error of this provider means that there is no session any more.
  ///
  /// A subscription ends with such an error and outlives every other one. By default every
  /// error does.
  func endsSession(_ error: any Error) -> Bool
}

extension TokenProvider {
  /// Takes every error for the end of the session.
  public func endsSession(_ error: any Error) -> Bool { true }
}

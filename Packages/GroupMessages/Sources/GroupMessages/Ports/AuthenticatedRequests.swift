/// What this package needs of a signed-in session: one authenticated request.
///
/// The app hands in an adapter to its session. Attaching the token, refreshing it and replaying
/// after a 401 are the session's business; every status that it returns is taken as final.
public protocol AuthenticatedRequests: Sendable {
  /// Performs a request that carries the user's token.
  ///
  /// Return whatever the server answered, a 4xx or 5xx too. Throw only where there is no answer:
  /// no network, nobody signed in, the session has ended. What is thrown reaches the caller as
  /// ``MessageError/underlying(_:isTemporary:)``. Ends promptly when its task is cancelled.
  ///
  /// A request that names a ``MessageRequest/period`` goes out with that session's token or not at
  /// all: where another session has come in its place, throw ``MessageError/sessionChanged``. Else
  /// a message that one account left unsent could be sent as another's (R4).
  func perform(_ request: MessageRequest) async throws -> MessageResponse

  /// Whether an error that ``perform(_:)`` threw may pass by itself.
  ///
  /// True for a missing network, a time-out or a TLS failure; false where the user has to act,
  /// above all where the session has ended. A ``GroupWatch`` tries again after the former and
  /// ends with the latter.
  func isTemporary(_ error: any Error) -> Bool
}

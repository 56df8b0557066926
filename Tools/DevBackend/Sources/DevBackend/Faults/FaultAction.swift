/// What a fault does.
enum FaultAction: Equatable, Sendable {
  /// Waits before the request is handled.
  case delay(Duration)
  /// Waits after the request was handled and committed, before it is answered.
  case hold(Duration)
  /// Closes the connection instead of handling the request.
  case drop
  /// Handles and commits the request, and closes the connection instead of answering.
  case lose
  /// Answers with a status, instead of handling the request.
  case status(Int)
  /// Answers with a gateway's page, instead of handling the request.
  case html(Int)
  /// Sends the client to another address (307), instead of handling the request.
  case redirect(String)
  /// Leaves a member out of the JSON answer, wherever it stands.
  case strip(String)
  /// Hands out the access token in another form; it is accepted as what it stands for.
  case disguise(TokenDisguise)
  /// Sets a cookie.
  case cookie(String)
  /// Something that happens to the whole server.
  case happening(FaultHappening)
}

/// Something that happens to the whole server, by itself or when a request comes.
enum FaultHappening: Equatable, Sendable {
  /// Every access token made until now has expired.
  case expire
  /// The session of the request's token is revoked.
  case revoke
  /// The server's clock is moved by so much, in place of what it was moved by before.
  case skew(Duration)
  /// For so long the server refuses work as one that is being stopped.
  case drain(Duration)
  /// The realtime side says goodbye, ends its streams, and starts again on its port.
  case restartRealtime
}

/// What an access token may look like that is no proper JWT.
enum TokenDisguise: Equatable, Sendable {
  /// `exp` is replaced by this JSON text.
  case expiry(String)
  /// There is no `exp`.
  case withoutExpiry
  /// A random text.
  case opaque
  /// The last part is missing.
  case twoParts
}

/// Why no answer came, or none that could be taken.
///
/// Never a reason to sign out (R5).
public struct TransportError: Error, Equatable, Sendable {
  /// What happened, for programs.
  public let code: Code
  /// What happened, for people: host and cause, no secret.
  public let message: String
  /// Whether it is certain that no byte of the request got out: the host was not found, nobody
  /// listens there, TLS failed, the key is none of the pinned ones.
  ///
  /// False where the transport does not know.
  public let isUnsent: Bool

  /// What happened, for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The host could not be found, reached, or hung up.
    case network
    /// The time given was over.
    case timeout
    /// TLS failed: certificate, host name, dates or protocol.
    case tls
    /// The server's key is none of the pinned ones; no byte of the request was sent.
    case pinMismatch
    /// The answer is larger than allowed.
    case responseTooLarge
    /// The server sends from one place to the next without end.
    case tooManyRedirects
    /// The caller's task was cancelled.
    case cancelled
    /// The request cannot be sent as it is: a line break in a header, a method that is no token.
    case invalidRequest
    /// The request's body could not be read, or not a second time: a file that changed, a stream
    /// that failed. The server got no whole request.
    case body
    /// The file to download into could not be written.
    case file
  }

  /// An error from its parts.
  ///
  /// - Parameters:
  ///   - code: what happened; with `pinMismatch` and `invalidRequest` nothing was sent.
  ///   - message: the same for people.
  ///   - isUnsent: whether it is certain that nothing was sent.
  public init(_ code: Code, _ message: String, isUnsent: Bool = false) {
    self.code = code
    self.message = message
    self.isUnsent = isUnsent || code == .pinMismatch || code == .invalidRequest
  }
}

extension TransportError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension TransportError {
  static let cancelledByCaller = TransportError(.cancelled, "The request was cancelled")
}

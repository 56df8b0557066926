/// The server's answer to a ``MessageRequest``.
public struct MessageResponse: Hashable, Sendable {
  /// The HTTP status, whatever it is.
  public let status: Int
  /// The body's bytes, empty where there was none.
  public let body: [UInt8]
  /// The `X-Request-Id` that the request went out with, for error reports.
  public let requestID: String?
  /// What `Retry-After` asked for, where it did.
  public let retryAfter: Duration?

  /// An answer from its parts.
  public init(
    status: Int,
    body: [UInt8],
    requestID: String? = nil,
    retryAfter: Duration? = nil
  ) {
    self.status = status
    self.body = body
    self.requestID = requestID
    self.retryAfter = retryAfter
  }
}

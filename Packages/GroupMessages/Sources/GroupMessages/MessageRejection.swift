/// A server's refusal: a status that is no success, and what came with it.
public struct MessageRejection: Hashable, Sendable {
  /// The HTTP status.
  public let status: Int
  /// What the server said about it, else `HTTP` and the status.
  ///
  /// The text is not ours: whoever prints it takes out the secrets that it may quote.
  public let message: String
  /// The id of the request that was refused, where the port told it.
  public let requestID: String?
  /// How long to wait before the next try, where the server said so.
  public let retryAfter: Duration?

  /// A refusal from its parts.
  public init(status: Int, message: String, requestID: String? = nil, retryAfter: Duration? = nil) {
    self.status = status
    self.message = message
    self.requestID = requestID
    self.retryAfter = retryAfter
  }

  /// Whether it may pass by itself: 5xx, 408 and 429.
  public var isTemporary: Bool { status >= 500 || status == 408 || status == 429 }
}

/// How far one attempt of a request has come.
///
/// A further attempt, after a 401 or along a redirect, begins at 0 again.
public struct TransferProgress: Equatable, Sendable {
  /// Bytes of the body that were handed to the network.
  public var sentBytes: Int64 = 0
  /// How many there are; nil where the body does not know, or there is none.
  public var bytesToSend: Int64?
  /// Bytes of the answer's body so far, after content decoding.
  public var receivedBytes: Int64 = 0
  /// How many there will be; nil where the server does not say, or compresses.
  public var bytesToReceive: Int64?

  /// Progress from its parts.
  public init(
    sentBytes: Int64 = 0,
    bytesToSend: Int64? = nil,
    receivedBytes: Int64 = 0,
    bytesToReceive: Int64? = nil
  ) {
    self.sentBytes = sentBytes
    self.bytesToSend = bytesToSend
    self.receivedBytes = receivedBytes
    self.bytesToReceive = bytesToReceive
  }

  /// How many bytes the head of an answer announces for its body, as it is after decoding.
  static func announced(_ headers: HTTPHeaders) -> Int64? {
    headers["Content-Encoding"] == nil ? headers["Content-Length"].flatMap { Int64($0) } : nil
  }
}

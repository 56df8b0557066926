/// An error code of RST_STREAM and GOAWAY (RFC 9113, section 7); unknown ones are kept.
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt32

  /// A code from its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nothing went wrong.
  public static let noError = HTTP2ErrorCode(rawValue: 0)

  /// The peer broke the protocol.
  public static let protocolError = HTTP2ErrorCode(rawValue: 1)

  /// The sender of the code failed.
  public static let internalError = HTTP2ErrorCode(rawValue: 2)

  /// The peer ignored flow control.
  public static let flowControlError = HTTP2ErrorCode(rawValue: 3)

  /// The stream was not looked at: it may be sent again.
  public static let refusedStream = HTTP2ErrorCode(rawValue: 7)

  /// The stream is not wanted any more.
  public static let cancel = HTTP2ErrorCode(rawValue: 8)

  /// The peer does too much of something.
  public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)

  /// The transport is not safe enough.
  public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 12)
}

extension HTTP2ErrorCode: CustomStringConvertible {
  /// The name that RFC 9113 gives it, else the number.
  public var description: String {
    let names = [
      "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
      "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
    return rawValue < UInt32(names.count) ? names[Int(rawValue)] : "error \(rawValue)"
  }
}

/// How the messages that are sent are compressed.
public enum GRPCCompression: String, Sendable {
  /// Not at all.
  case identity

  /// By gzip, each message for itself.
  case gzip
}

extension GRPCCompression {
  /// What this side can read.
  static let accepted = "identity,gzip"

  /// The frame for one message.
  func frame(_ message: [UInt8]) throws(GRPCStatus) -> [UInt8] {
    switch self {
    case .identity: MessageFrame(isCompressed: false, bytes: message).encoded
    case .gzip: MessageFrame(isCompressed: true, bytes: try Gzip.compress(message)).encoded
    }
  }

  /// The message in a frame of a stream that names this encoding.
  static func message(
    _ frame: MessageFrame,
    encoding: String,
    limit: Int
  ) throws(GRPCStatus) -> [UInt8] {
    guard frame.isCompressed else { return frame.bytes }
    if let compression = GRPCCompression(rawValue: encoding) {
      return try compression.message(frame, limit: limit)
    }
    throw GRPCStatus(
      .internalError,
      "A message is compressed with \(encoding), which nobody asked for."
    )
  }

  /// The message in a frame of a stream that has this encoding.
  func message(_ frame: MessageFrame, limit: Int) throws(GRPCStatus) -> [UInt8] {
    if !frame.isCompressed { return frame.bytes }
    guard self == .gzip else {
      throw GRPCStatus(.internalError, "A message is compressed, but no encoding was named.")
    }
    return try Gzip.decompress(frame.bytes, limit: limit)
  }
}

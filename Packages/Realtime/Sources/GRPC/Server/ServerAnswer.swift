internal import HTTP2

/// The header fields of an answer.
enum ServerAnswer {
  static func headers(_ metadata: GRPCMetadata, _ compression: GRPCCompression) -> [HTTP2Header] {
    [
      HTTP2Header(":status", "200"), HTTP2Header("content-type", "application/grpc"),
      HTTP2Header("grpc-encoding", compression.rawValue),
      HTTP2Header("grpc-accept-encoding", GRPCCompression.accepted),
    ] + metadata.headers
  }

  static func trailers(_ status: GRPCStatus, _ metadata: GRPCMetadata) -> [HTTP2Header] {
    var fields = [HTTP2Header("grpc-status", String(status.code.rawValue))]
    if !status.message.isEmpty {
      fields.append(HTTP2Header("grpc-message", PercentCoding.encode(status.message)))
    }
    return fields + metadata.headers
  }

  /// Status and metadata in one block, for a call that has no message to answer with.
  static func trailersOnly(_ status: GRPCStatus, _ metadata: GRPCMetadata) -> [HTTP2Header] {
    [HTTP2Header(":status", "200"), HTTP2Header("content-type", "application/grpc")]
      + trailers(status, metadata)
  }
}

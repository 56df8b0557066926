internal import HTTP2
internal import Secrets

/// The header fields of a request.
struct ClientRequest {
  let path: String
  let endpoint: GRPCEndpoint
  let userAgent: String
  let options: GRPCCallOptions

  /// Whether the caller brought credentials of its own.
  var hasOwnAuthorization: Bool { !options.metadata.values("authorization").isEmpty }

  func headers(token: Secret?, timeout: Duration?) -> [HTTP2Header] {
    var fields = [
      HTTP2Header(":method", "POST"), HTTP2Header(":scheme", endpoint.isSecure ? "https" : "http"),
      HTTP2Header(":path", path), HTTP2Header(":authority", endpoint.authority),
      HTTP2Header("te", "trailers"), HTTP2Header("content-type", "application/grpc"),
      HTTP2Header("user-agent", userAgent),
      HTTP2Header("grpc-accept-encoding", GRPCCompression.accepted),
    ]
    if options.compression != .identity {
      fields.append(HTTP2Header("grpc-encoding", options.compression.rawValue))
    }
    if let timeout { fields.append(HTTP2Header("grpc-timeout", GRPCTimeout.encode(timeout))) }
    if let token { fields.append(HTTP2Header("authorization", "Bearer \(token.reveal())")) }
    return fields + options.metadata.headers
  }

  /// Why the request may not be sent; nil when it may.
  var fault: GRPCStatus? {
    let isLegal = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard path.hasPrefix("/"), isLegal else {
      return GRPCStatus(.invalidArgument, "“\(path)” is no path of a method, /service/method.")
    }
    return nil
  }
}

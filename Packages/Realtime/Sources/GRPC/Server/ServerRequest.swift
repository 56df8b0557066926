internal import HTTP2

/// The header fields of a request, read as gRPC asks.
struct ServerRequest {
  let path: String
  let authority: String
  let metadata: GRPCMetadata
  let timeout: Duration?
  let compression: GRPCCompression
  let acceptsGzip: Bool

  /// Why a request is no gRPC call that can be served.
  enum Refusal: Error, Equatable {
    /// Not gRPC at all: answered in HTTP.
    case http(status: Int)

    /// Answered with a status of gRPC.
    case grpc(GRPCStatus)
  }

  init(_ headers: [HTTP2Header]) throws(Refusal) {
    guard headers.first(":method") == "POST" else { throw .http(status: 405) }
    let type = headers.first("content-type") ?? ""
    guard
      type == "application/grpc" || type.hasPrefix("application/grpc+")
        || type.hasPrefix("application/grpc;")
    else { throw .http(status: 415) }
    path = headers.first(":path") ?? ""
    authority = headers.first(":authority") ?? headers.first("host") ?? ""
    metadata = GRPCMetadata(headers)
    if let text = headers.first("grpc-timeout") {
      guard let timeout = GRPCTimeout.decode(text) else {
        throw .grpc(GRPCStatus(.internalError, "The grpc-timeout is malformed."))
      }
      self.timeout = timeout
    } else {
      timeout = nil
    }
    let encoding = headers.first("grpc-encoding") ?? "identity"
    guard let compression = GRPCCompression(rawValue: encoding) else {
      throw .grpc(GRPCStatus(.unimplemented, "The encoding \(encoding) is not known here."))
    }
    self.compression = compression
    let accepted = (headers.first("grpc-accept-encoding") ?? "").split(separator: ",")
    acceptsGzip = accepted.contains { $0.filter { $0 != " " } == "gzip" }
  }
}

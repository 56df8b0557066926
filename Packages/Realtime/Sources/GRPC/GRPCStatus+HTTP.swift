internal import HTTP2

extension GRPCStatus {
  /// The status for an HTTP answer that is not gRPC's, by gRPC's table (http-grpc-status-mapping).
  static func http(_ status: Int, _ message: String) -> GRPCStatus {
    let code: Code =
      switch status {
      case 400: .internalError
      case 401: .unauthenticated
      case 403: .permissionDenied
      case 404: .unimplemented
      case 429, 502, 503, 504: .unavailable
      default: .unknown
      }
    return GRPCStatus(code, message)
  }

  /// The status for a stream that was reset, by gRPC's table (PROTOCOL-HTTP2, Errors).
  static func reset(_ error: HTTP2ErrorCode) -> GRPCStatus {
    let code: Code =
      switch error {
      case .refusedStream: .unavailable
      case .cancel: .cancelled
      case .enhanceYourCalm: .resourceExhausted
      case .inadequateSecurity: .permissionDenied
      default: .internalError
      }
    return GRPCStatus(code, "The stream was reset with \(error).")
  }
}

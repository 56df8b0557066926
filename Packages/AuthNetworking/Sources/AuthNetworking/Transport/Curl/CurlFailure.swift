#if canImport(CCurl)
internal import CCurl

/// What libcurl's codes mean for a caller.
enum CurlFailure {
  /// The error of a transfer that libcurl ended with a code.
  static func error(
    _ code: CURLcode,
    host: String,
    detail: String,
    isUnsent: Bool
  ) -> TransportError {
    let kind = kind(of: code)
    let standard = curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    let text =
      switch kind {
      case .pinMismatch: "the server's key is none of the pinned ones"
      case .responseTooLarge: "the answer is larger than allowed"
      case .timeout: "no answer in time"
      default: detail.isEmpty ? standard : detail
      }
    return TransportError(kind, "\(host): \(HTTPResponse.oneLine(text))", isUnsent: isUnsent)
  }

  /// Whether libcurl gives up with a code before there is a connection that a request can go over.
  static func isBeforeSending(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: true
    default: [.tls, .pinMismatch].contains(kind(of: code))
    }
  }

  private static func kind(of code: CURLcode) -> TransportError.Code {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: .timeout
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
    case CURLE_FILESIZE_EXCEEDED, CURLcode(rawValue: 100 /* CURLE_TOO_LARGE, of 8.6 */):
      .responseTooLarge
    case CURLE_URL_MALFORMAT: .invalidRequest
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
      .tls
    default: .network
    }
  }
}
#endif

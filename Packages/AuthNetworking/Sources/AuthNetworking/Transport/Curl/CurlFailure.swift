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
    let kind = isHangUp(code, detail) ? .network : kind(of: code)
    let standard = curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    let text =
      switch kind {
      case .pinMismatch: "the server's key is none of the pinned ones"
      case .responseTooLarge: "the answer is larger than allowed"
      case .timeout: "no answer in time"
      // What libcurl says of it is about its own insides.
      case .network where code == CURLE_SEND_FAIL_REWIND:
        "the server hung up on the request, which must not be sent twice by itself"
      default: withoutUserInfo(detail.isEmpty ? standard : detail)
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

  /// Whether the host went away in the middle of TLS's handshake: nothing is wrong with its key.
  private static func isHangUp(_ code: CURLcode, _ detail: String) -> Bool {
    code == CURLE_SSL_CONNECT_ERROR && detail.contains("Connection reset by peer")
  }

  /// The text without the name and password of a proxy, which libcurl quotes where it cannot read
  /// the proxy's URL (R9).
  static func withoutUserInfo(_ text: String) -> String {
    guard let first = text.firstIndex(of: "'"), let last = text.lastIndex(of: "'"), first < last,
      let at = text[first..<last].lastIndex(of: "@")
    else { return text }
    let quoted = text[text.index(after: first)..<at]
    let scheme = quoted.firstRange(of: "://").map { quoted[..<$0.upperBound] } ?? ""
    return "\(text[...first])\(scheme)…\(text[at...])"
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

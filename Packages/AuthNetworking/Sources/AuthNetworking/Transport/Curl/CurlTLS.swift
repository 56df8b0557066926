#if canImport(CCurl)
internal import CCurl
#if !canImport(Darwin)
internal import COpenSSL
#endif

/// What libcurl's own options do not reach in its TLS library.
///
/// macOS's libcurl lets nobody reach it: pins are enforced there, and not reported.
enum CurlTLS {
  /// Whether libcurl's TLS is the OpenSSL that is linked here: another library's context is not
  /// OpenSSL's to touch.
  static let isReachable: Bool = {
    #if canImport(Darwin)
    return false
    #else
    guard let info = curl_version_info(CURLVERSION_FIRST), let name = info.pointee.ssl_version
    else {
      return false
    }
    let major = OPENSSL_version_major()
    return String(cString: name).hasPrefix("OpenSSL/\(major).")
    #endif
  }()

  #if !canImport(Darwin)
  /// Has the TLS context of each new connection prepared.
  static func prepare(_ handle: UnsafeMutableRawPointer, _ transfer: UnsafeMutableRawPointer) {
    if isReachable { ccurl_setopt_tls(handle, prepareContext, transfer) }
  }

  /// Sees the key of a connection's server, once chain and dates are found right.
  ///
  /// Owned by the connection's TLS context.
  private final class Witness {
    let host: String
    let configuration: CurlConfiguration

    init(host: String, configuration: CurlConfiguration) {
      self.host = host
      self.configuration = configuration
    }

    func see(_ certificate: OpaquePointer) {
      guard let key = CurlTLS.pin(of: certificate) else { return }
      let now = configuration.now()
      let pinning = configuration.pinning
      let verdict = pinning.verdict(on: key, at: now)
      guard verdict != .accepted else { return }
      configuration.onPinMismatch(
        PinReport(
          host: host,
          key: key,
          pinned: pinning.keys(at: now),
          isEnforced: verdict == .refused
        )
      )
    }
  }

  /// Where a TLS context keeps its witness.
  private static let index = CRYPTO_get_ex_new_index(
    CRYPTO_EX_INDEX_SSL_CTX,
    0,
    nil,
    nil,
    nil
  ) { _, witness, _, _, _, _ in
    if let witness { Unmanaged<Witness>.fromOpaque(witness).release() }
  }

  private static let prepareContext: ccurl_tls_callback = { _, tls, context in
    guard let context, let tls = OpaquePointer(tls) else { return CURLE_SSL_CONNECT_ERROR }
    // R9: SSLKEYLOGFILE would have libcurl write down the keys of every connection.
    SSL_CTX_set_keylog_callback(tls, nil)
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    guard !transfer.configuration.pinning.pins.isEmpty else { return CURLE_OK }
    let witness = Witness(
      host: transfer.request.url.origin.host,
      configuration: transfer.configuration
    )
    let retained = Unmanaged.passRetained(witness)
    guard SSL_CTX_set_ex_data(tls, index, retained.toOpaque()) == 1 else {
      retained.release()
      return CURLE_OUT_OF_MEMORY
    }
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, verify)
    return CURLE_OK
  }

  /// Called for each certificate of the chain; changes nothing about what OpenSSL found.
  private static let verify: @convention(c) (Int32, OpaquePointer?) -> Int32 = { isRight, store in
    guard isRight == 1, X509_STORE_CTX_get_error_depth(store) == 0,
      let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let context = SSL_get_SSL_CTX(OpaquePointer(ssl)),
      let witness = SSL_CTX_get_ex_data(context, index),
      let certificate = X509_STORE_CTX_get_current_cert(store)
    else { return isRight }
    Unmanaged<Witness>.fromOpaque(witness).takeUnretainedValue().see(certificate)
    return isRight
  }

  private static func pin(of certificate: OpaquePointer) -> SPKIPin? {
    var encoded: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
    defer { CRYPTO_free(encoded, #file, #line) }
    guard length > 0, let encoded else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(encoded, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
    return SPKIPin(digest: digest)
  }
  #endif
}
#endif

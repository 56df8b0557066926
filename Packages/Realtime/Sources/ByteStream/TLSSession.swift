internal import COpenSSL

/// TLS without I/O: ciphertext goes in and comes out through memory.
///
/// It belongs to one ``ByteStream`` and is used by one thread at a time.
final class TLSSession {
  enum Read {
    case bytes(Int)
    case needsInput
    case end
  }

  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private let context: TLSContext
  private let host: String
  /// What its sessions are kept under; nil at a server, which keeps none.
  private let resumptionKey: String?
  private var isVerified = false

  // `host` is the name or address that the certificate must carry; a server has no use for it.
  init(_ context: TLSContext, host: String, port: Int?) throws(ByteStreamError) {
    ERR_clear_error()
    guard let ssl = SSL_new(context.pointer), let input = BIO_new(BIO_s_mem()),
      let output = BIO_new(BIO_s_mem())
    else { throw .tls(openSSLMessage()) }
    self.ssl = ssl
    self.input = input
    self.output = output
    self.context = context
    self.host = host
    resumptionKey = context.isServer ? nil : port.map { "\(host) \($0)" }
    copenssl_set_bio_eof_retries(input)
    copenssl_set_bio_eof_retries(output)
    SSL_set_bio(ssl, input, output)
    if context.isServer {
      SSL_set_accept_state(ssl)
    } else {
      SSL_set_connect_state(ssl)
      try expect(host)
      resume()
    }
  }

  deinit { SSL_free(ssl) }

  /// An address is verified as an address, and gets no SNI (RFC 6066 forbids it).
  private func expect(_ host: String) throws(ByteStreamError) {
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 { return }
    ERR_clear_error()
    SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard SSL_set1_host(ssl, host) == 1, copenssl_set_server_name(ssl, host) == 1 else {
      throw .tls("\(host) is no host name that TLS can verify.")
    }
  }

  /// Offers the session of an earlier connection, which spares the server a proof of its key.
  private func resume() {
    // Not retained: the SSL object ends with this one.
    SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    guard let resumptionKey, let session = context.sessions.take(for: resumptionKey) else { return }
    SSL_set_session(ssl, session.pointer)
  }

  /// Whether the connection goes on with an earlier session.
  var isResumed: Bool { SSL_session_reused(ssl) == 1 }

  /// A session came that may be resumed; one of a peer that was not verified is not kept.
  ///
  /// - Returns: whether the reference to it was taken over.
  fileprivate func received(_ session: OpaquePointer) -> Bool {
    guard isVerified, let resumptionKey else { return false }
    context.sessions.keep(TLSSessionCache.Session(adopting: session), for: resumptionKey)
    return true
  }

  /// Takes ciphertext from the peer.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    BIO_write(input, bytes.baseAddress, Int32(bytes.count))
  }

  /// Appends the ciphertext that is to be sent.
  func takeOutput(into buffer: inout [UInt8]) {
    let count = copenssl_bio_pending(output)
    guard count > 0 else { return }
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: count))
    buffer.withUnsafeMutableBytes { raw in
      let room = UnsafeMutableRawBufferPointer(rebasing: raw[start...])
      _ = BIO_read(output, room.baseAddress, Int32(count))
    }
  }

  /// Goes on with the handshake; true when it is done and the peer is who it should be.
  func handshake() throws(ByteStreamError) -> Bool {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    if result == 1 {
      try checkPeer()
      isVerified = true
      // The session of TLS 1.2 comes within the handshake, when nothing was checked yet.
      if SSL_version(ssl) < TLS1_3_VERSION, !isResumed, let session = SSL_get1_session(ssl) {
        if !received(session) { SSL_SESSION_free(session) }
      }
      return true
    }
    guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw handshakeError() }
    return false
  }

  /// Reads plain bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Read {
    ERR_clear_error()
    let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
    if count > 0 { return .bytes(Int(count)) }
    switch SSL_get_error(ssl, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
    case SSL_ERROR_ZERO_RETURN: return .end
    default: throw .tls("TLS broke: \(openSSLMessage()).")
    }
  }

  /// Whether something is left that ``read(into:)`` may give without new input.
  var hasBufferedInput: Bool { SSL_has_pending(ssl) == 1 || copenssl_bio_pending(input) > 0 }

  /// Encrypts plain bytes, all of them: the output is memory.
  func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    if bytes.isEmpty { return }
    ERR_clear_error()
    let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
    guard count == bytes.count else { throw .tls("TLS broke: \(openSSLMessage()).") }
  }

  /// Says goodbye to the peer, without waiting for its answer.
  func close() { SSL_shutdown(ssl) }

  private func checkPeer() throws(ByteStreamError) {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    guard UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8) else {
      throw .tls("The server at \(host) did not choose HTTP/2 (h2) by ALPN.")
    }
    if context.isServer || context.pins.isEmpty { return }
    guard let certificate = SSL_get1_peer_certificate(ssl) else {
      throw .tls("The server at \(host) showed no certificate.")
    }
    defer { X509_free(certificate) }
    guard let pin = PublicKeyPin(certificate: certificate), context.pins.contains(pin) else {
      throw ByteStreamError(
        .pinMismatch,
        "The key of the server at \(host) is none of those that are pinned."
      )
    }
  }

  private func handshakeError() -> ByteStreamError {
    let verification = SSL_get_verify_result(ssl)
    if !context.isServer, verification != Int(X509_V_OK) {
      let reason = X509_verify_cert_error_string(verification).map { String(cString: $0) } ?? ""
      ERR_clear_error()
      return .tls("The certificate of \(host) was refused: \(reason).")
    }
    let reason = openSSLMessage()
    if reason.contains("no application protocol") {
      return .tls("The server at \(host) did not choose HTTP/2 (h2) by ALPN.")
    }
    return .tls("No TLS connection with \(host): \(reason).")
  }
}

/// OpenSSL's callback for a new session; 1 takes over the reference to it.
nonisolated func keepSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  guard let ssl, let session, let owner = SSL_get_ex_data(ssl, 0) else { return 0 }
  return Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().received(session) ? 1 : 0
}

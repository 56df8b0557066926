internal import COpenSSL

/// One `SSL_CTX`: roots or certificate, version and ALPN, shared by the connections made of it.
///
/// Making one reads files, so do it once for each client or server.
///
/// `@unchecked` holds because the context is changed in the initialisers only; after them OpenSSL
/// itself locks what several connections share.
public final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  let pins: [PublicKeyPin]
  let isServer: Bool
  /// At a client, what may be resumed.
  let sessions = TLSSessionCache()

  /// `h2` with its length before it, as ALPN lists go (RFC 7301).
  private static let protocols: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]

  /// A context for connecting.
  ///
  /// - Throws: ``ByteStreamError`` of kind `configuration` when the CA file is unusable.
  public init(client configuration: TLSClientConfiguration) throws(ByteStreamError) {
    pointer = try Self.make(TLS_client_method())
    pins = configuration.pins
    isServer = false
    SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    copenssl_keep_client_sessions_outside(pointer)
    SSL_CTX_sess_set_new_cb(pointer, keepSession)
    SSL_CTX_set_alpn_protos(pointer, Self.protocols, UInt32(Self.protocols.count))
    if let file = configuration.caFile {
      guard SSL_CTX_load_verify_locations(pointer, file, nil) == 1 else {
        throw .configuration("The CA file \(file) cannot be used: \(openSSLMessage())")
      }
    } else {
      SSL_CTX_set_default_verify_paths(pointer)
    }
  }

  /// A context for accepting.
  ///
  /// - Throws: ``ByteStreamError`` of kind `configuration` when certificate or key are unusable.
  public init(server configuration: TLSServerConfiguration) throws(ByteStreamError) {
    pointer = try Self.make(TLS_server_method())
    pins = []
    isServer = true
    let certificate = configuration.certificateFile
    let key = configuration.keyFile
    guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
      throw .configuration("The certificate \(certificate) cannot be used: \(openSSLMessage())")
    }
    guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
      throw .configuration("The key \(key) cannot be used: \(openSSLMessage())")
    }
    SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, nil)
  }

  deinit { SSL_CTX_free(pointer) }

  private static func make(_ method: OpaquePointer?) throws(ByteStreamError) -> OpaquePointer {
    ERR_clear_error()
    guard let context = SSL_CTX_new(method) else { throw .configuration(openSSLMessage()) }
    copenssl_set_min_protocol(context, TLS1_2_VERSION)
    copenssl_refuse_renegotiation(context)
    copenssl_release_buffers(context)
    return context
  }
}

/// Chooses `h2` where the client offers it, else refuses the handshake.
private nonisolated func chooseProtocol(
  _: OpaquePointer?,
  chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  length: UnsafeMutablePointer<UInt8>?,
  offered: UnsafePointer<UInt8>?,
  count: UInt32,
  _: UnsafeMutableRawPointer?
) -> Int32 {
  var position = 0
  while let offered, position < Int(count) {
    let size = Int(offered[position])
    guard position + 1 + size <= Int(count) else { break }
    let name = UnsafeBufferPointer(start: offered + position + 1, count: size)
    if name.elementsEqual("h2".utf8) {
      chosen?.pointee = offered + position + 1
      length?.pointee = UInt8(size)
      return SSL_TLSEXT_ERR_OK
    }
    position += 1 + size
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}

extension ByteStreamError {
  static func configuration(_ message: String) -> ByteStreamError {
    ByteStreamError(.configuration, message)
  }

  static func tls(_ message: String) -> ByteStreamError { ByteStreamError(.tls, message) }
}

/// The oldest error of this thread's queue, which it empties.
func openSSLMessage() -> String {
  let code = ERR_get_error()
  ERR_clear_error()
  guard code != 0, let reason = ERR_reason_error_string(code) else { return "no reason given" }
  return String(cString: reason)
}

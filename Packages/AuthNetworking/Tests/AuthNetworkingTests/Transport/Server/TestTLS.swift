import COpenSSL

/// The server's side of TLS.
final class TestTLS: @unchecked Sendable {
  // `@unchecked` holds because the context is set up in `init` and only read after, which OpenSSL
  // allows from any thread.
  private let context: OpaquePointer
  private let identity: TestIdentity

  init(_ identity: TestIdentity, offersHTTP2: Bool) throws {
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw TestFailure("no TLS") }
    self.context = context
    self.identity = identity
    guard SSL_CTX_use_certificate(context, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey(context, identity.key) == 1
    else { throw TestFailure("the certificate does not fit") }
    if offersHTTP2 {
      SSL_CTX_set_alpn_select_cb(context, chooseHTTP2, nil)
    }
  }

  deinit { SSL_CTX_free(context) }

  /// Shakes hands on a connected socket; nil where that fails.
  func accept(_ descriptor: Int32) -> Stream? {
    guard let connection = SSL_new(context) else { return nil }
    SSL_set_fd(connection, descriptor)
    guard SSL_accept(connection) == 1 else {
      SSL_free(connection)
      return nil
    }
    return Stream(connection)
  }

  /// One connection, for one thread.
  final class Stream {
    private let connection: OpaquePointer

    fileprivate init(_ connection: OpaquePointer) { self.connection = connection }

    deinit { SSL_free(connection) }

    /// Whether the client agreed to HTTP/2.
    var isHTTP2: Bool {
      var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
      SSL_get0_alpn_selected(connection, &name, &length)
      return length == 2
    }

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
      Int(SSL_read(connection, bytes.baseAddress, Int32(bytes.count)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
      Int(SSL_write(connection, bytes.baseAddress, Int32(bytes.count)))
    }

    func close() { SSL_shutdown(connection) }
  }
}

private let chooseHTTP2:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
    UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
  ) -> Int32 = { _, chosen, chosenLength, offered, offeredLength, _ in
    // The offer is a list of names, each after its length; `h2` stays where it is.
    var position = 0
    while let offered, position < Int(offeredLength) {
      let length = Int(offered[position])
      if length == 2, offered[position + 1] == UInt8(ascii: "h"),
        offered[position + 2] == UInt8(ascii: "2")
      {
        chosen?.pointee = offered + position + 1
        chosenLength?.pointee = 2
        return SSL_TLSEXT_ERR_OK
      }
      position += length + 1
    }
    return SSL_TLSEXT_ERR_NOACK
  }

internal import CMicrohttpd

/// HTTP/1.1 over libmicrohttpd, with one thread for each connection.
///
/// Handlers block on the database and on password hashing; these are libmicrohttpd's threads,
/// never those of Swift's pool.
final class HTTPServer: Sendable {
  let port: UInt16
  // The pointer is only handed to MHD_stop_daemon, once, by `stop`, whose caller owns the server.
  private nonisolated(unsafe) let daemon: OpaquePointer
  // Kept alive for as long as the daemon may call back with a pointer to it.
  private let handler: HTTPHandler

  /// How long a connection may be silent that had a request.
  private static let idleSeconds: UInt32 = 75

  /// Starts to serve.
  ///
  /// What answers wants to know its port, and is made when that is known.
  ///
  /// - Throws: ``BackendError`` where it cannot listen, or does not accept the certificate.
  init(
    host: String,
    port: UInt16,
    tls: PEMFiles?,
    limits: BackendConfiguration,
    service: (_ port: UInt16) -> HTTPService
  ) throws(BackendError) {
    let socket = try ListeningSocket(host: host, port: port)
    let handler = HTTPHandler(
      service: service(socket.port),
      limits: limits,
      idleSeconds: Self.idleSeconds
    )
    var flags = MHD_USE_AUTO_INTERNAL_THREAD.rawValue | MHD_USE_THREAD_PER_CONNECTION.rawValue
    if tls != nil { flags |= MHD_USE_TLS.rawValue }
    guard let daemon = Self.start(flags, handler, socket.descriptor, tls) else {
      // libmicrohttpd has closed the socket; closing it again would hit whoever got its number.
      throw tls == nil
        ? BackendError(.cannotListen, "the HTTP server does not start on port \(port)")
        : BackendError(
          .tls,
          "the certificate or key is not accepted; give a PEM pair that belongs together"
        )
    }
    (self.port, self.daemon, self.handler) = (socket.port, daemon, handler)
  }

  /// Closes all connections, and returns when no handler runs any more; blocks.
  func stop() {
    MHD_stop_daemon(daemon)
    handler.connections.stop()
  }

  private static func start(
    _ flags: UInt32,
    _ handler: HTTPHandler,
    _ socket: Int32,
    _ tls: PEMFiles?
  ) -> OpaquePointer? {
    var configuration = cmicrohttpd_configuration()
    configuration.listener = socket
    configuration.connection_limit = 4_096
    configuration.timeout_seconds = idleSeconds
    configuration.context = Unmanaged.passUnretained(handler).toOpaque()
    configuration.admit = { context, address, _ in
      guard let context else { return .NO }
      var bytes = [UInt8](repeating: 0, count: 16)
      let size = cmicrohttpd_address(address, &bytes)
      let handler = Unmanaged<HTTPHandler>.fromOpaque(context).takeUnretainedValue()
      let peer = PeerAddress(bytes: Array(bytes.prefix(Int(size))))
      return handler.connections.admits(peer) ? .YES : .NO
    }
    configuration.connection = { context, connection, _, code in
      guard let context, let connection else { return }
      Unmanaged<HTTPHandler>.fromOpaque(context).takeUnretainedValue()
        .note(connection, hasBegun: code == .CONNECTION_NOTIFY_STARTED)
    }
    configuration.began = { context, target, connection in
      if let context, let connection {
        Unmanaged<HTTPHandler>.fromOpaque(context).takeUnretainedValue()
          .connections.headBegan(UInt(bitPattern: connection))
      }
      let exchange = HTTPExchange(target: target.map { String(cString: $0) } ?? "/")
      return Unmanaged.passRetained(exchange).toOpaque()
    }
    configuration.handler = { context, connection, _, method, version, data, size, exchange in
      guard let context, let connection, let method, let version, let size,
        let exchange = exchange?.pointee
      else { return .NO }
      return Unmanaged<HTTPHandler>.fromOpaque(context).takeUnretainedValue().receive(
        Unmanaged<HTTPExchange>.fromOpaque(exchange).takeUnretainedValue(),
        connection: connection,
        method: String(cString: method),
        version: String(cString: version),
        data: UnsafeRawBufferPointer(start: data, count: size.pointee),
        size: size
      )
    }
    configuration.completed = { context, _, exchange, _ in
      guard let context, let pointer = exchange?.pointee else { return }
      Unmanaged<HTTPHandler>.fromOpaque(context).takeUnretainedValue()
        .completed(Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue())
      exchange?.pointee = nil
    }
    guard let tls else { return cmicrohttpd_start(flags, &configuration) }
    return tls.key.withCString { key in
      tls.certificate.withCString { certificate in
        (configuration.key, configuration.certificate) = (key, certificate)
        return cmicrohttpd_start(flags, &configuration)
      }
    }
  }
}

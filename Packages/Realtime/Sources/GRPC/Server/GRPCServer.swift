internal import ByteStream
internal import HTTP2
internal import Synchronization

/// Serves gRPC over HTTP/2, in the clear or with TLS.
///
/// ```swift
/// let server = try await GRPCServer(port: 0, handlers: [
///   "/echo.Echo/Say": .unary { request, _ in request }
/// ])
/// defer { server.stop() }
/// ```
public final class GRPCServer: Sendable {
  /// The port that is bound, also where 0 was asked for.
  public var port: Int { listener.port }

  private let loop: EventLoop
  private let listener: Listener
  private let calls: ServerCalls

  /// Binds, listens, and serves from now on.
  ///
  /// - Parameters:
  ///   - host: the name or address to bind to.
  ///   - port: 0 for any free one.
  ///   - configuration: TLS and limits.
  ///   - handlers: by path, `/package.Service/Method`.
  ///   - fallback: serves every other path, which is else answered UNIMPLEMENTED.
  /// - Throws: ``GRPCServerError`` when the address cannot be bound or the certificate not be used.
  public init(
    host: String = "127.0.0.1",
    port: Int = 0,
    configuration: GRPCServerConfiguration = .init(),
    handlers: [String: GRPCHandler],
    fallback: GRPCHandler? = nil
  ) async throws(GRPCServerError) {
    loop = EventLoop()
    calls = ServerCalls(
      handlers: handlers,
      fallback: fallback,
      configuration: configuration,
      loop: loop
    )
    do throws(ByteStreamError) {
      var context: TLSContext?
      if let tls = configuration.tls { context = try TLSContext(server: tls) }
      listener = try await Listener(host: host, port: port, loop: loop)
      let limit = configuration.connectionsPerAddress.map(ConnectionLimit.init(perAddress:))
      let keepalive = KeepaliveMachine.Limits(
        interval: .seconds(60),
        timeout: .seconds(20),
        unusedTimeout: configuration.firstCallTimeout
      )
      listener.accept(tls: context, limit: limit) { [calls, loop] stream in
        let connection = try? Connection(
          stream,
          role: .server,
          configuration: configuration.http2,
          keepalive: keepalive,
          loop: loop,
          owner: calls
        )
        if let connection { calls.add(connection) }
      }
    } catch {
      loop.stop()
      throw GRPCServerError(message: error.message)
    }
  }

  deinit { stop() }

  /// Stops gracefully: takes no new connection or call, lets those in flight end, then stops.
  ///
  /// - Parameter grace: how long calls may go on before they are cut off.
  public func shutdown(grace: Duration = .seconds(10)) async {
    listener.close()
    let timer = loop.schedule(at: ContinuousClock.now + grace) { [calls] in
      calls.closeAll("The server stopped.")
    }
    await calls.drain()
    loop.cancel(timer)
    stop()
  }

  /// Stops at once: every connection is closed and every handler cancelled.
  public func stop() {
    listener.close()
    calls.closeAll("The server stopped.")
    loop.stop()
  }
}

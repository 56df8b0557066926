internal import ByteStream
internal import GRPC

/// The realtime service of realtime.proto, on a port of its own.
final class RealtimeServer: Sendable {
  private let server: GRPCServer
  private let departure: Departure
  private let hub: EventHub

  var port: UInt16 { UInt16(server.port) }

  /// Starts to serve.
  ///
  /// - Throws: ``BackendError`` where it cannot listen, or does not accept the certificate.
  init(_ core: BackendCore, port: UInt16) async throws(BackendError) {
    let configuration = core.configuration
    let tls = configuration.tls.map {
      TLSServerConfiguration(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
    }
    var limits = GRPCServerConfiguration(tls: tls)
    if configuration.connectionsPerAddress > 0 {
      limits.connectionsPerAddress = configuration.connectionsPerAddress
    }
    limits.firstCallTimeout = configuration.requestTimeout
    let departure = Departure()
    (self.departure, hub) = (departure, core.hub)
    let service = RealtimeService(core: core, departure: departure)
    do {
      server = try await GRPCServer(
        host: configuration.host,
        port: Int(port),
        configuration: limits,
        handlers: service.handlers
      )
    } catch {
      throw BackendError(
        .cannotListen,
        "the realtime service does not start on port \(port): \(error.message)"
      )
    }
  }

  /// Sends GOAWAY, takes no call any more, ends streams with UNAVAILABLE, and lets calls in hand
  /// end; what goes on after the grace is cut off.
  func leave(within grace: Duration) async {
    departure.announce()
    async let ended: Void = server.shutdown(grace: grace)
    hub.recheck()
    await ended
  }

  /// Closes every connection at once.
  func stop() { server.stop() }
}

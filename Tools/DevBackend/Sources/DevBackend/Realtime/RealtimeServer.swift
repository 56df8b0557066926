internal import ByteStream
internal import GRPC

/// The realtime service of realtime.proto, on a port of its own.
final class RealtimeServer: Sendable {
  private let server: GRPCServer

  var port: UInt16 { UInt16(server.port) }

  /// Starts to serve.
  ///
  /// - Throws: ``BackendError`` where it cannot listen, or does not accept the certificate.
  init(_ core: BackendCore, port: UInt16) async throws(BackendError) {
    let configuration = core.configuration
    let tls = configuration.tls.map {
      TLSServerConfiguration(certificateFile: $0.certificateFile, keyFile: $0.keyFile)
    }
    let service = RealtimeService(core: core)
    do {
      server = try await GRPCServer(
        host: configuration.host,
        port: Int(port),
        configuration: GRPCServerConfiguration(tls: tls),
        handlers: service.handlers
      )
    } catch {
      throw BackendError(
        .cannotListen,
        "the realtime service does not start on port \(port): \(error.message)"
      )
    }
  }

  /// Closes every connection at once.
  func stop() { server.stop() }
}

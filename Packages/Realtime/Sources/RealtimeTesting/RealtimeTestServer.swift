public import GRPC
public import ProtobufWire
internal import Realtime
internal import Synchronization

/// A realtime server in the test's own process, on a real socket of loopback.
///
/// It keeps the messages of any group in memory, serves `Subscribe` and `Send`, and can be
/// restarted on its port, revoke sessions and refuse tokens.
public final class RealtimeTestServer: Sendable {
  /// The port, the same after each restart.
  public let port: Int

  private let reserved = ReservedPort()
  private let log: RealtimeTestLog
  private let configuration: GRPCServerConfiguration
  private let server: Mutex<GRPCServer?>

  /// Starts on a free port of loopback.
  ///
  /// - Parameter configuration: TLS and limits.
  /// - Throws: `GRPCServerError` when it cannot start.
  public init(configuration: GRPCServerConfiguration = .init()) async throws(GRPCServerError) {
    self.configuration = configuration
    let log = RealtimeTestLog()
    self.log = log
    let server = try await GRPCServer(
      port: reserved.number,
      configuration: configuration,
      handlers: log.handlers
    )
    port = server.port
    self.server = Mutex(server)
  }

  deinit { stop() }

  /// `http://127.0.0.1:PORT`, or `https://localhost:PORT` with TLS.
  public var url: String {
    configuration.tls == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
  }

  /// The `authorization` of every call so far, empty where there was none, in order.
  public var authorizations: [String] { log.authorizations }

  /// The `after_sequence` of every subscription so far, in order.
  public var subscriptions: [UInt64] { log.subscriptions }

  /// Adds a message to a group, as if somebody had sent it, and tells the subscribers.
  @discardableResult
  public func post(_ body: String, to group: String, sequence: UInt64? = nil) -> Message {
    log.append(body, group: group, sender: "other", clientMessageID: "", sequence: sequence)
  }

  /// Refuses every token but these from now on; nil accepts all.
  public func accept(tokens: Set<String>?) { log.accept(tokens) }

  /// Tells every subscription that its session is revoked, and ends it.
  public func revokeSubscriptions(_ reason: String) { log.revoke(reason) }

  /// Ends every subscription with this status.
  public func endSubscriptions(_ status: GRPCStatus) { log.end(status) }

  /// Makes every further subscription fail with this status; nil serves them again.
  public func refuseSubscriptions(_ status: GRPCStatus?) { log.refuse(status) }

  /// Waits until so many subscriptions have begun since the start.
  public func waitForSubscriptions(_ count: Int) async { await log.waitForSubscriptions(count) }

  /// Stops at once, cutting every connection.
  public func stop() {
    let running = server.withLock { server in
      defer { server = nil }
      return server
    }
    running?.stop()
  }

  /// Stops, and starts again on the same port with the same messages.
  ///
  /// - Throws: `GRPCServerError` when the port was taken meanwhile, which only happens where the
  ///   system lets nobody keep it.
  public func restart() async throws(GRPCServerError) {
    stop()
    let started = try await RealtimeTestServer.start(port, configuration, log)
    server.withLock { $0 = started }
  }

  /// Starts on a port that was in use a moment ago: a process that is being started elsewhere in
  /// the program has our descriptors until it runs its own code.
  private static func start(
    _ port: Int,
    _ configuration: GRPCServerConfiguration,
    _ log: RealtimeTestLog
  ) async throws(GRPCServerError) -> GRPCServer {
    for _ in 0..<100 {
      let started = try? await GRPCServer(
        port: port,
        configuration: configuration,
        handlers: log.handlers
      )
      if let started { return started }
      try? await Task.sleep(for: .milliseconds(50))
    }
    return try await GRPCServer(port: port, configuration: configuration, handlers: log.handlers)
  }
}

#if canImport(CCurl)
/// The transport of Linux and Android: libcurl, on one thread of its own.
///
/// It follows no redirect, keeps no cookie and no cache, reads no `.netrc`, answers no
/// authentication challenge, and speaks HTTP/1.1, and HTTP/2 over TLS. Proxies come from the
/// environment. The timeout bounds the whole exchange, the size limit the body after decoding.
///
/// **What is sent twice.** Methods that may be repeated without harm (RFC 9110, section 9.2.2)
/// are sent again on a new connection, once, where a kept connection turns out to be dead. All
/// others, `POST` above all, are never sent again once a byte of their body is out, and take a
/// kept connection only when it was in use a moment ago.
///
/// The thread starts with the first request, and ends when the transport goes away.
public final class CurlTransport: HTTPTransport {
  private let thread: CurlThread
  private let configuration: CurlConfiguration

  /// A transport.
  ///
  /// - Throws: ``TransportError/Code/tls`` where the CA file's name is none, or where pins are to
  ///   be reported and this system's libcurl has another TLS library than OpenSSL. That the CA file
  ///   cannot be read is known, and said, at the first request.
  public init(_ configuration: CurlConfiguration = .init()) throws(TransportError) {
    if let caFile = configuration.caFile, caFile.isEmpty || caFile.utf8.contains(0) {
      throw TransportError(.tls, "The name of the CA file is no file name")
    }
    let needsWitness =
      configuration.pinning.mode == .reportOnly && !configuration.pinning.pins.isEmpty
    guard !needsWitness || CurlTLS.isReachable else {
      throw TransportError(.tls, "This libcurl lets nobody see a server's key: enforce the pins")
    }
    self.configuration = configuration
    thread = CurlThread(configuration)
  }

  deinit { thread.stop() }

  /// Sends one request.
  ///
  /// - Throws: ``TransportError``.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try RequestCheck.check(request)
    try RequestCheck.check(request, configuration.pinning, now: configuration.now)
    guard let destination = request.destination else {
      return try await carryOut(CurlExchange(request, download: nil)).get()
    }
    let download = DownloadFile(destination)
    try await download.open()
    let result = await carryOut(CurlExchange(request, download: download))
    guard case .success(let response) = result, response.savedBytes != nil else {
      await download.discard()
      return try result.get()
    }
    try await download.finish()
    return response
  }

  /// The transport's own thread, for tasks that send requests one after the other.
  ///
  /// A request of a task that prefers it begins there and goes on there, without the two changes of
  /// thread that are most of what a request to a near server costs:
  ///
  /// ```swift
  /// try await withTaskExecutorPreference(transport.executor) {
  ///   for page in 1...20 { try await show(session.send(APIRequest(.get, "/pages/\(page)"))) }
  /// }
  /// ```
  ///
  /// All of the transport's transfers stand still while such a task computes, so it should do no
  /// more than a moment's work between two suspensions, and must not block. Nothing else depends on
  /// it. It may be kept for longer than the transport: what it is given then runs on Swift's own
  /// threads.
  public var executor: any TaskExecutor { thread }

  private func carryOut(_ exchange: CurlExchange) async -> CurlExchange.Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { thread.submit(exchange, $0) }
    } onCancel: {
      thread.cancel(exchange)
    }
  }
}
#endif

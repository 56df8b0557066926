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

  private func carryOut(_ exchange: CurlExchange) async -> CurlExchange.Answer {
    await withTaskCancellationHandler {
      await withCheckedContinuation { thread.submit(exchange, $0) }
    } onCancel: {
      thread.cancel(exchange)
    }
  }
}
#endif

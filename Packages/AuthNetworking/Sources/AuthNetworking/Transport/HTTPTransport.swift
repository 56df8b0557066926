/// Carries out single HTTP exchanges.
///
/// An implementation follows no redirect, keeps no cookie and no cache, answers no
/// authentication challenge by itself, and resends nothing that the server may have seen.
public protocol HTTPTransport: Sendable {
  /// Sends one request and waits for the whole answer. Cancelling the task ends the exchange.
  ///
  /// A body that is no bytes in memory is read while it is sent, a 2xx answer with a
  /// ``HTTPRequest/destination`` is written there as it comes (``DownloadTarget``), and
  /// ``HTTPRequest/onProgress`` is told of both.
  ///
  /// - Throws: ``TransportError``; `CancellationError` when the task was cancelled is expressed
  ///   as ``TransportError/Code/cancelled``.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

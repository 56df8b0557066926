#if canImport(Darwin)
public import Foundation
internal import SessionModels
internal import Synchronization

/// The transport of iOS and macOS: URLSession, with the contract of ``HTTPTransport``.
///
/// No redirect is followed, no cookie, cache or credential kept, no challenge answered but the
/// server's certificate; the timeout bounds the whole exchange, the size limit the body after
/// decoding. Proxies are the system's.
///
/// Not verified: it is compiled and run on Apple systems only.
public final class URLSessionTransport: HTTPTransport {
  private let session: URLSession
  private let delegate: URLSessionExchanges
  private let pinning: PinPolicy
  private let now: @Sendable () -> Date

  /// A transport.
  ///
  /// - Parameters:
  ///   - caFile: a PEM file of the roots to trust instead of the system's; nil for the system's.
  ///   - pinning: the keys that a server may have. While one is enforced nothing is sent over plain
  ///     `http`.
  ///   - onPinMismatch: told of each new connection to a server whose key is not pinned, on the
  ///     session's queue: return soon.
  ///   - now: what time it is, for pins that expire.
  /// - Throws: ``TransportError/Code/tls`` where the file holds no certificate.
  public init(
    caFile: String? = nil,
    pinning: PinPolicy = .none,
    onPinMismatch: @escaping @Sendable (PinReport) -> Void = { _ in },
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(TransportError) {
    let roots = try caFile.map { file throws(TransportError) in
      try ServerTrust.roots(ofFile: file)
    }
    let trust = ServerTrust(
      roots: roots,
      pinning: pinning,
      now: now,
      onPinMismatch: onPinMismatch
    )
    delegate = URLSessionExchanges(trust)
    self.pinning = pinning
    self.now = now
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
    configuration.waitsForConnectivity = false
    configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends one request.
  ///
  /// - Throws: ``TransportError``.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    try RequestCheck.check(request)
    try RequestCheck.check(request, pinning, now: now)
    guard let destination = request.destination else {
      return try await carryOut(request, nil).get()
    }
    let download = DownloadFile(destination)
    try await download.open()
    let result: URLSessionExchanges.Answer
    do throws(TransportError) {
      result = try await carryOut(request, download)
    } catch {
      await download.discard()
      throw error
    }
    guard case .success(let response) = result, response.savedBytes != nil else {
      await download.discard()
      return try result.get()
    }
    try await download.finish()
    return response
  }

  private func carryOut(
    _ request: HTTPRequest,
    _ download: DownloadFile?
  ) async throws(TransportError) -> URLSessionExchanges.Answer {
    let foundationRequest = try URLSessionTransport.foundationRequest(request)
    let isStreamed = request.content != nil && request.body == nil
    let task: URLSessionDataTask =
      isStreamed
      ? session.uploadTask(withStreamedRequest: foundationRequest)
      : session.dataTask(with: foundationRequest)
    let timeout = DispatchWorkItem { [delegate] in
      delegate.fail(task, TransportError(.timeout, "\(request.url.origin.text): no answer in time"))
    }
    let (seconds, attoseconds) = request.timeout.components
    let limit = max(0, Double(seconds) + Double(attoseconds) / 1e18)
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: timeout)
    defer { timeout.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        delegate.begin(task, request, download, continuation)
      }
    } onCancel: {
      delegate.fail(task, .cancelledByCaller)
    }
  }

  private static func foundationRequest(
    _ request: HTTPRequest
  ) throws(TransportError) -> URLRequest {
    guard let url = URL(string: request.url.text), url.absoluteString == request.url.text else {
      throw TransportError(.invalidRequest, "\(request.url.origin.text): not a URL here")
    }
    // The exchange's own timer counts; this one only restarts with every byte.
    var result = URLRequest(url: url, timeoutInterval: 24 * 3600)
    result.httpMethod = request.method.rawValue
    result.httpBody = request.body.map { Data($0) }
    if request.body == nil, let length = request.content?.length {
      // Of a stream URLSession does not know it.
      result.setValue("\(length)", forHTTPHeaderField: "Content-Length")
    }
    result.httpShouldHandleCookies = false
    for (name, value) in request.headers.fields { result.addValue(value, forHTTPHeaderField: name) }
    if let bearer = request.bearer, request.headers["Authorization"] == nil {
      result.setValue("Bearer \(bearer.reveal())", forHTTPHeaderField: "Authorization")
    }
    return result
  }
}
#endif

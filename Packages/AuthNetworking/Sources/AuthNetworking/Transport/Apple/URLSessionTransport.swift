#if canImport(Darwin)
internal import Foundation
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
  private let requiresTLS: Bool

  /// A transport.
  ///
  /// - Parameters:
  ///   - caFile: a PEM file of the roots to trust instead of the system's; nil for the system's.
  ///   - pins: the keys that a server may have, any of them; none for all that the roots vouch
  ///     for. With a pin nothing is sent over plain `http`.
  /// - Throws: ``TransportError/Code/tls`` where the file holds no certificate.
  public init(caFile: String? = nil, pins: [SPKIPin] = []) throws(TransportError) {
    let trust = ServerTrust(roots: try caFile.map(ServerTrust.roots(ofFile:)), pins: pins)
    delegate = URLSessionExchanges(trust)
    requiresTLS = !pins.isEmpty
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
    guard !requiresTLS || request.url.origin.scheme == "https" else {
      throw TransportError(
        .pinMismatch,
        "\(request.url.origin.text): a key is pinned, and plain http has none"
      )
    }
    let task = session.dataTask(with: try URLSessionTransport.foundationRequest(request))
    let timeout = DispatchWorkItem { [delegate] in
      delegate.fail(task, TransportError(.timeout, "\(request.url.origin.text): no answer in time"))
    }
    let (seconds, attoseconds) = request.timeout.components
    let limit = max(0, Double(seconds) + Double(attoseconds) / 1e18)
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: timeout)
    defer { timeout.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        delegate.begin(task, request, continuation)
      }
    } onCancel: {
      delegate.fail(task, TransportError(.cancelled, "The request was cancelled"))
    }
    return try result.get()
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
    result.httpShouldHandleCookies = false
    for (name, value) in request.headers.fields { result.addValue(value, forHTTPHeaderField: name) }
    if let bearer = request.bearer, request.headers["Authorization"] == nil {
      result.setValue("Bearer \(bearer.reveal())", forHTTPHeaderField: "Authorization")
    }
    return result
  }
}
#endif

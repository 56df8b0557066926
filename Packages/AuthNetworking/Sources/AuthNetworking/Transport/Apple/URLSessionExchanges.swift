#if canImport(Darwin)
internal import Foundation
internal import Synchronization

/// The exchanges of one URLSession: its delegate, which answers each caller once.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
  typealias Answer = Result<HTTPResponse, TransportError>

  private let trust: ServerTrust
  private let exchanges = Mutex<[Int: Exchange]>([:])

  private struct Exchange {
    let host: String
    let limit: Int
    var continuation: CheckedContinuation<Answer, Never>?
    var failure: TransportError?
    var body: [UInt8] = []
  }

  init(_ trust: ServerTrust) { self.trust = trust }

  /// Starts a task for a caller, unless it has failed before it began.
  func begin(
    _ task: URLSessionDataTask,
    _ request: HTTPRequest,
    _ continuation: CheckedContinuation<Answer, Never>
  ) {
    let failure = exchanges.withLock { exchanges -> TransportError? in
      if let early = exchanges.removeValue(forKey: task.taskIdentifier) { return early.failure }
      exchanges[task.taskIdentifier] = Exchange(
        host: request.url.origin.text,
        limit: request.maximumResponseBytes,
        continuation: continuation
      )
      return nil
    }
    if let failure {
      task.cancel()
      continuation.resume(returning: .failure(failure))
    } else {
      task.resume()
    }
  }

  /// Ends a task with an error: at once for its caller, soon for the network.
  func fail(_ task: URLSessionTask, _ error: TransportError) {
    let continuation = exchanges.withLock { exchanges -> CheckedContinuation<Answer, Never>? in
      guard let exchange = exchanges.removeValue(forKey: task.taskIdentifier) else {
        // A caller that was cancelled before it began finds this and goes.
        if task.state == .suspended {
          exchanges[task.taskIdentifier] = Exchange(host: "", limit: 0, failure: error)
        }
        return nil
      }
      return exchange.continuation
    }
    continuation?.resume(returning: .failure(error))
    task.cancel()
  }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
      // The 401 or 407 itself is the answer.
      completionHandler(.rejectProtectionSpace, nil)
      return
    }
    guard let presented = space.serverTrust else {
      completionHandler(.cancelAuthenticationChallenge, nil)
      return
    }
    if let code = trust.problem(with: presented) {
      fail(task, TransportError(code, "\(space.host): \(ServerTrust.message(code))"))
      completionHandler(.cancelAuthenticationChallenge, nil)
    } else {
      completionHandler(.useCredential, URLCredential(trust: presented))
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = exchanges.withLock { exchanges in
      guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else {
        return false
      }
      defer { exchanges[dataTask.taskIdentifier] = exchange }
      guard data.count <= exchange.limit - exchange.body.count else { return true }
      exchange.body.append(contentsOf: data)
      return false
    }
    if isTooLarge {
      let host = dataTask.originalRequest?.url?.host ?? ""
      fail(
        dataTask,
        TransportError(.responseTooLarge, "\(host): the answer is larger than allowed")
      )
    }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
      return
    }
    let answer: Answer
    if let error {
      answer = .failure(URLSessionExchanges.failure(error, host: exchange.host))
    } else if let response = task.response as? HTTPURLResponse {
      answer = .success(URLSessionExchanges.response(response, body: exchange.body))
    } else {
      answer = .failure(TransportError(.network, "\(exchange.host): no answer"))
    }
    exchange.continuation?.resume(returning: answer)
  }

  private static func response(_ response: HTTPURLResponse, body: [UInt8]) -> HTTPResponse {
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers.add(name, value) }
    }
    return HTTPResponse(status: response.statusCode, headers: headers, body: body)
  }

  private static func failure(_ error: any Error, host: String) -> TransportError {
    let code: TransportError.Code =
      switch (error as? URLError)?.code {
      case .timedOut: .timeout
      case .cancelled: .cancelled
      case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
        .clientCertificateRejected, .clientCertificateRequired,
        .appTransportSecurityRequiresSecureConnection:
        .tls
      case .badURL, .unsupportedURL: .invalidRequest
      default: .network
      }
    return TransportError(code, "\(host): \(error.localizedDescription)")
  }
}
#endif

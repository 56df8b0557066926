#if canImport(Darwin)
internal import Foundation
internal import Synchronization

/// The exchanges of one URLSession: its delegate, which answers each caller once.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
  typealias Answer = Result<HTTPResponse, TransportError>

  private let trust: ServerTrust
  private let exchanges = Mutex<[Int: Exchange]>([:])

  private struct Exchange {
    let request: HTTPRequest?
    let download: DownloadFile?
    var continuation: CheckedContinuation<Answer, Never>?
    var failure: TransportError?
    var body: [UInt8] = []
    var progress = TransferProgress()
    /// Whether the answer's body goes into the file.
    var isSaving = false

    var host: String { request?.url.origin.text ?? "" }
  }

  init(_ trust: ServerTrust) { self.trust = trust }

  /// Starts a task for a caller, unless it has failed before it began.
  func begin(
    _ task: URLSessionDataTask,
    _ request: HTTPRequest,
    _ download: DownloadFile?,
    _ continuation: CheckedContinuation<Answer, Never>
  ) {
    let failure = exchanges.withLock { exchanges -> TransportError? in
      if let early = exchanges.removeValue(forKey: task.taskIdentifier) { return early.failure }
      var exchange = Exchange(request: request, download: download, continuation: continuation)
      exchange.progress.bytesToSend = request.content?.length
      exchanges[task.taskIdentifier] = exchange
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
          exchanges[task.taskIdentifier] = Exchange(
            request: nil,
            download: nil,
            failure: error
          )
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
    if let code = trust.problem(with: presented, host: space.host) {
      fail(task, TransportError(code, "\(space.host): \(ServerTrust.message(code))"))
      completionHandler(.cancelAuthenticationChallenge, nil)
    } else {
      completionHandler(.useCredential, URLCredential(trust: presented))
    }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    let content = exchanges.withLock { $0[task.taskIdentifier]?.request?.content }
    completionHandler(content.flatMap { StreamedBody.open($0) { self.fail(task, $0) } })
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    tell(task) { $0.sentBytes = totalBytesSent }
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      let headers = URLSessionExchanges.headers(response)
      exchanges.withLock { exchanges in
        guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else { return }
        exchange.isSaving =
          exchange.download != nil && (200...299).contains(response.statusCode)
        exchange.progress.bytesToReceive = TransferProgress.announced(headers)
        exchanges[dataTask.taskIdentifier] = exchange
      }
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let failure = exchanges.withLock { exchanges -> TransportError? in
      guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier),
        let request = exchange.request
      else { return nil }
      defer { exchanges[dataTask.taskIdentifier] = exchange }
      if exchange.isSaving, let download = exchange.download {
        let written = data.withUnsafeBytes { bytes in
          Result { () throws(TransportError) in try download.write(bytes) }
        }
        if case .failure(let error) = written { return error }
        return nil
      }
      guard data.count <= request.maximumResponseBytes - exchange.body.count else {
        return TransportError(
          .responseTooLarge,
          "\(exchange.host): the answer is larger than allowed"
        )
      }
      exchange.body.append(contentsOf: data)
      return nil
    }
    if let failure {
      fail(dataTask, failure)
    } else {
      tell(dataTask) { $0.receivedBytes += Int64(data.count) }
    }
  }

  /// Changes a task's progress, and tells of it with no lock held.
  private func tell(_ task: URLSessionTask, _ change: (inout TransferProgress) -> Void) {
    let (onProgress, progress) = exchanges.withLock { exchanges in
      guard var exchange = exchanges.removeValue(forKey: task.taskIdentifier) else {
        return ((@Sendable (TransferProgress) -> Void)?.none, TransferProgress())
      }
      change(&exchange.progress)
      exchanges[task.taskIdentifier] = exchange
      return (exchange.request?.onProgress, exchange.progress)
    }
    onProgress?(progress)
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
      answer = .failure(
        URLSessionExchanges.failure(
          error,
          host: exchange.host,
          hasSentBody: task.countOfBytesSent > 0
        )
      )
    } else if let response = task.response as? HTTPURLResponse {
      answer = .success(URLSessionExchanges.answer(response, exchange))
    } else {
      answer = .failure(TransportError(.network, "\(exchange.host): no answer"))
    }
    exchange.continuation?.resume(returning: answer)
  }

  private static func answer(_ response: HTTPURLResponse, _ exchange: Exchange) -> HTTPResponse {
    var answer = HTTPResponse(
      status: response.statusCode,
      headers: headers(response),
      body: exchange.body
    )
    if exchange.isSaving { answer.savedBytes = exchange.download?.size }
    return answer
  }

  private static func headers(_ response: HTTPURLResponse) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers.add(name, value) }
    }
    return headers
  }

  private static func failure(
    _ error: any Error,
    host: String,
    hasSentBody: Bool
  ) -> TransportError {
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
    let isBeforeSending =
      switch (error as? URLError)?.code {
      case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet: true
      default: code == .tls
      }
    return TransportError(
      code,
      "\(host): \(error.localizedDescription)",
      isUnsent: isBeforeSending && !hasSentBody
    )
  }
}
#endif

#if canImport(CCurl)
internal import Synchronization

/// One caller that waits for one answer.
final class CurlExchange: Sendable {
  typealias Answer = Result<HTTPResponse, TransportError>

  let request: HTTPRequest
  /// Where the body of a 2xx answer goes, open already; nil for memory.
  let download: DownloadFile?
  private let waiter = Mutex(Waiter.none)

  private enum Waiter {
    case none
    case waiting(CheckedContinuation<Answer, Never>)
    case answered
  }

  init(_ request: HTTPRequest, download: DownloadFile?) {
    self.request = request
    self.download = download
  }

  /// Whether somebody still wants the answer.
  var isWanted: Bool {
    waiter.withLock { waiter in
      if case .answered = waiter { false } else { true }
    }
  }

  /// Lets the caller wait.
  ///
  /// - Returns: false where the task was cancelled before: it is answered already.
  func wait(_ continuation: CheckedContinuation<Answer, Never>) -> Bool {
    let isWaiting = waiter.withLock { waiter in
      guard case .none = waiter else { return false }
      waiter = .waiting(continuation)
      return true
    }
    if !isWaiting { continuation.resume(returning: .failure(.cancelledByCaller)) }
    return isWaiting
  }

  /// Answers the caller, unless that has happened already.
  func answer(_ answer: Answer) {
    let continuation = waiter.withLock { waiter -> CheckedContinuation<Answer, Never>? in
      defer { waiter = .answered }
      if case .waiting(let continuation) = waiter { return continuation }
      return nil
    }
    continuation?.resume(returning: answer)
  }
}
#endif

import GroupMessages
import Synchronization

/// What a test lets the port throw.
struct PortError: Error, Equatable {
  var isTemporary = true
}

/// Answers requests as a test says, and remembers them.
final class ScriptedRequests: AuthenticatedRequests {
  typealias Answer = @Sendable (MessageRequest, Int) async throws -> MessageResponse

  private let answer: Answer
  private let log = Mutex<[MessageRequest]>([])

  /// - Parameter answer: gets the request, and how many came before it.
  init(_ answer: @escaping Answer) { self.answer = answer }

  var requests: [MessageRequest] { log.withLock { $0 } }

  /// The targets of the requests for messages, in order.
  var historyTargets: [String] {
    requests.filter { $0.method == .get && $0.path.hasPrefix("/groups/") }.map(\.target)
  }

  func perform(_ request: MessageRequest) async throws -> MessageResponse {
    let index = log.withLock { log in
      log.append(request)
      return log.count - 1
    }
    return try await answer(request, index)
  }

  func isTemporary(_ error: any Error) -> Bool { (error as? PortError)?.isTemporary ?? false }
}

extension MessageResponse {
  /// An answer whose body is a text.
  init(_ status: Int, _ body: String, retryAfter: Duration? = nil) {
    self.init(
      status: status,
      body: Array(body.utf8),
      requestID: "request-1",
      retryAfter: retryAfter
    )
  }
}

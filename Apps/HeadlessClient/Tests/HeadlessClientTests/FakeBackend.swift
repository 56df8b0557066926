import AuthNetworking
import SessionModels
import SessionModelsTesting
import Synchronization

@testable import HeadlessClient

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A SkyConnect backend of a few lines, for whole command lines in memory: it answers what its
/// fields say and keeps what it was sent.
final class FakeBackend: HTTPTransport {
  struct State {
    var sent: [HTTPRequest] = []
    var isReachable = true
    var answers: [String: HTTPResponse] = [:]
    var failures: [String: TransportError] = [:]
    var good: Secret?
    var refresh: Secret?
    var count = 0
    /// Of requests to a path that are counted from now on, what happens to which.
    var counted = (path: "", seen: 0)
    var failing: Set<Int> = []
    var action: (number: Int, run: @Sendable () async -> Void)?
  }

  private let state = Mutex(State())

  var sent: [HTTPRequest] { state.withLock { $0.sent } }
  var paths: [String] { sent.map { "\($0.method.rawValue) \($0.url.target)" } }

  /// The parts of a composition that talks to this backend.
  var parts: Composition.Parts {
    var parts = Composition.Parts()
    parts.transport = { [self] _ in self }
    return parts
  }

  func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

  /// Answers a path in this way from now on.
  func answer(_ path: String, _ status: Int, _ body: String) {
    state.withLock {
      $0.answers[path] = HTTPResponse(
        status: status,
        headers: HTTPHeaders([("Content-Type", "application/json")]),
        body: Array(body.utf8)
      )
    }
  }

  /// Answers a path in the usual way again.
  func answerAsUsual(_ path: String) {
    state.withLock { ($0.answers[path], $0.failures[path]) = (nil, nil) }
  }

  /// Ends requests to a path in this way from now on.
  func fail(_ path: String, with error: TransportError) {
    state.withLock { $0.failures[path] = error }
  }

  /// Leaves some of the next requests to a path without an answer, counting from 1.
  func failRequests(numbered numbers: Set<Int>, of path: String) {
    state.withLock { ($0.counted, $0.failing) = ((path, 0), numbers) }
  }

  /// Does something when the next request of that number to a path comes, counting from 1.
  func onRequest(
    numbered number: Int,
    of path: String,
    run: @escaping @Sendable () async -> Void
  ) {
    state.withLock { ($0.counted, $0.action) = ((path, 0), (number, run)) }
  }

  /// Takes the access token for expired.
  func expire() { state.withLock { $0.good = nil } }

  /// Ends the session.
  func revoke() { state.withLock { ($0.good, $0.refresh) = (nil, nil) } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let action = state.withLock { state -> (@Sendable () async -> Void)? in
      guard request.url.target == state.counted.path else { return nil }
      state.counted.seen += 1
      return state.action.flatMap { $0.number == state.counted.seen ? $0.run : nil }
    }
    await action?()
    var request = request
    if let content = request.content, content.bytes == nil {
      request.content = .bytes(try await content.collected(), contentType: content.contentType)
      request.onProgress?(TransferProgress(sentBytes: 1, bytesToSend: content.length))
    }
    var answer = try answer(to: request)
    guard let path = request.destination?.path, answer.status == 200 else { return answer }
    guard let file = fopen(path, "w") else { throw TransportError(.file, "no file \(path)") }
    fwrite(answer.body, 1, answer.body.count, file)
    fclose(file)
    answer.savedBytes = Int64(answer.body.count)
    answer.body = []
    return answer
  }

  private func answer(to request: HTTPRequest) throws(TransportError) -> HTTPResponse {
    try state.withLock { state throws(TransportError) in
      state.sent.append(request)
      let isFailing =
        request.url.target == state.counted.path && state.failing.contains(state.counted.seen)
      guard state.isReachable, !isFailing else { throw TransportError(.network, "no route") }
      if let failure = state.failures[request.url.target] { throw failure }
      if let answer = state.answers[request.url.target] { return answer }
      switch request.url.target {
      case "/auth/login", "/auth/register": return session(&state, withOwner: true)
      case "/auth/refresh":
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        guard let refresh = state.refresh, body.contains(refresh.reveal()) else {
          return HTTPResponse(status: 401, body: Array(#"{"error":"revoked"}"#.utf8))
        }
        return session(&state, withOwner: false)
      case "/auth/logout": return HTTPResponse(status: 204)
      case "/auth/me":
        guard let bearer = request.bearer, bearer == state.good else {
          return HTTPResponse(status: 401, body: Array(#"{"error":"no"}"#.utf8))
        }
        let body = #"{"id":7,"username":"ada","echo":"\#(bearer.reveal())"}"#
        return HTTPResponse(status: 200, body: Array(body.utf8))
      default: return HTTPResponse(status: 404, body: Array(#"{"error":"nothing here"}"#.utf8))
      }
    }
  }

  private func session(_ state: inout State, withOwner: Bool) -> HTTPResponse {
    state.count += 1
    let access = Secret("access-token-number-\(state.count)-of-this-test")
    let refresh = Secret("refresh-token-number-\(state.count)-of-this-test")
    (state.good, state.refresh) = (access, refresh)
    SecretSweep.made(access, refresh, Secret("seed-of-the-identity-here"))
    var body = #""access_token":"\#(access.reveal())","refresh_token":"\#(refresh.reveal())""#
    body += #","expires_in":900"#
    if withOwner { body += #","user_id":7,"identity_seed":"seed-of-the-identity-here""# }
    return HTTPResponse(status: 200, body: Array("{\(body)}".utf8))
  }
}

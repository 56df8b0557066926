internal import Synchronization

/// Answers by `Idempotency-Key`, so that a request that is sent again is not carried out again.
///
/// In memory, of this instance, for a day: what a restart forgets, the client message id still
/// catches.
final class IdempotentAnswers: Sendable {
  /// Whose key it is, and for what.
  struct Key: Hashable, Sendable {
    let user: String
    let path: String
    let text: String
  }

  private enum Entry {
    case inHand
    case answered(ServerResponse, until: Int64)
  }

  private struct State {
    var entries: [Key: (body: [UInt8], entry: Entry)] = [:]
    /// The keys used longest ago stand first.
    var order: [Key] = []

    mutating func forget(_ key: Key) {
      entries[key] = nil
      order.removeAll { $0 == key }
    }
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// How long an answer is kept, in milliseconds.
  static let lifetime: Int64 = 86_400_000

  /// Remembers so many keys; the oldest go first.
  init(capacity: Int = 1_000) { self.capacity = capacity }

  /// Carries a request out, or gives the answer that the same one got.
  ///
  /// Only what succeeded is remembered: what failed may be tried again under its key.
  ///
  /// - Parameters:
  ///   - key: what the client says makes it the same request.
  ///   - body: what makes it really the same.
  ///   - now: in milliseconds since 1970.
  ///   - carryOut: the work.
  /// - Returns: the answer, or a refusal: 422 for another body under the key, 409 while the first
  ///   request is still in hand.
  /// - Throws: what the work throws.
  func answer(
    _ key: Key,
    body: [UInt8],
    now: Int64,
    _ carryOut: () throws -> ServerResponse
  ) throws -> ServerResponse {
    if let known = begin(key, body: body, now: now) { return known }
    do {
      let response = try carryOut()
      state.withLock { state in
        state.entries[key]?.entry = .answered(response, until: now + Self.lifetime)
      }
      return response
    } catch {
      state.withLock { $0.forget(key) }
      throw error
    }
  }

  /// The answer where there is one already; else the key is taken.
  private func begin(_ key: Key, body: [UInt8], now: Int64) -> ServerResponse? {
    let isKSN = key.path.hasPrefix("/api/")
    return state.withLock { state in
      if let known = state.entries[key] {
        switch known.entry {
        case .answered(_, let until) where until <= now: state.forget(key)
        case _ where known.body != body:
          return Self.refusal(
            422,
            "idempotency_mismatch",
            "The key was used with another body",
            isKSN
          )
        case .inHand:
          return Self.refusal(409, "idempotency_in_hand", "The first request goes on still", isKSN)
        case .answered(var response, _):
          response.headers.append(HTTPHeader("Idempotent-Replayed", "true"))
          return response
        }
      }
      state.entries[key] = (body, .inHand)
      state.order.append(key)
      if state.order.count > capacity { state.forget(state.order[0]) }
      return nil
    }
  }

  private static func refusal(
    _ status: Int,
    _ code: String,
    _ message: String,
    _ isKSN: Bool
  ) -> ServerResponse {
    let body = JSONValue.of([
      "success": isKSN ? .bool(false) : nil, "error": .string(message), "code": .string(code),
    ])
    let headers = status == 409 ? [HTTPHeader("Retry-After", "1")] : []
    return ServerResponse(status, body, headers: headers)
  }
}

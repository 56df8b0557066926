internal import Dispatch
internal import GRPC

/// Carries out what a plan decided about a realtime call.
///
/// A call has no status of HTTP's: 401 is UNAUTHENTICATED, 429 RESOURCE_EXHAUSTED, 403
/// PERMISSION_DENIED, 404 NOT_FOUND, and all else, like a connection that is closed, UNAVAILABLE.
struct RealtimeFaults: Sendable {
  let core: BackendCore
  private var hand: FaultHand { FaultHand(core: core) }

  init(core: BackendCore) { self.core = core }

  /// The token behind a disguise, or itself.
  func unmask(_ token: String) -> String { core.operations.faults.token(behind: token) ?? token }

  /// What comes before a call is served.
  ///
  /// - Throws: `GRPCStatus` in place of the answer.
  func disturb(
    _ path: String,
    bearer: String?,
    _ log: RequestLog
  ) async throws -> FaultDecision {
    let decision = hand.decide(FaultRequest(method: "RPC", path: path), log)
    try await pause(decision.delay)
    for happening in decision.happenings {
      await onThread { hand.carryOut(happening, bearer: bearer, log) }
    }
    if let reply = decision.reply { throw Self.status(reply) }
    return decision
  }

  /// What comes between the work and its answer.
  func disturbAnswer(_ decision: FaultDecision) async throws {
    try await pause(decision.hold)
    if decision.isLost { throw GRPCStatus(.unavailable, "The answer was lost on purpose.") }
  }

  private func pause(_ duration: Duration) async throws {
    if duration > .zero { try await Task.sleep(for: duration) }
  }

  /// Asking the database blocks, which no thread of Swift's pool may.
  private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        body()
        continuation.resume()
      }
    }
  }

  private static func status(_ reply: FaultReply) -> GRPCStatus {
    let code: GRPCStatus.Code =
      switch reply {
      case .status(401, _, _): .unauthenticated
      case .status(403, _, _): .permissionDenied
      case .status(404, _, _): .notFound
      case .status(429, _, _): .resourceExhausted
      default: .unavailable
      }
    return GRPCStatus(code, "A fault that was asked for.")
  }
}

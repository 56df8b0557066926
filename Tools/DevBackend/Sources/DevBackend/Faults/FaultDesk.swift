internal import Dispatch
internal import Synchronization

/// Keeps the plan of what goes wrong, and what it needs to remember.
final class FaultDesk: Sendable {
  private struct State {
    var plan: FaultPlan
    /// Tokens by the disguises that were handed out, and these in their order.
    var disguised: [String: String] = [:]
    var order: [String] = []
    var waiting: [Int: DispatchSemaphore] = [:]
    var nextWait = 0
    var isOver = false
  }

  /// One rule, and what it did so far.
  struct Row: Equatable, Sendable {
    let text: String
    let matched: Int
    let applied: Int
  }

  private let state: Mutex<State>

  /// More disguised tokens than this are not remembered.
  private static let maximumDisguises = 10_000

  init(_ plan: FaultPlan) { state = Mutex(State(plan: plan)) }

  /// What becomes of a request.
  func decide(_ request: FaultRequest) -> FaultDecision {
    state.withLock { $0.plan.decide(request) }
  }

  /// Adds faults.
  ///
  /// - Returns: what is to happen at once.
  func add(_ plan: FaultPlan) throws(FaultPlanError) -> [FaultHappening] {
    try state.withLock { state throws(FaultPlanError) in
      try state.plan.add(plan)
      return state.plan.takeImmediate()
    }
  }

  /// Takes another plan in place of what there was.
  ///
  /// - Returns: what is to happen at once.
  func replace(_ plan: FaultPlan) -> [FaultHappening] {
    state.withLock { state in
      state.plan = plan
      return state.plan.takeImmediate()
    }
  }

  /// What is to happen at once; each only once.
  func takeImmediate() -> [FaultHappening] { state.withLock { $0.plan.takeImmediate() } }

  var rows: [Row] {
    state.withLock { state in
      state.plan.rules.map { Row(text: $0.text, matched: $0.matched, applied: $0.applied) }
    }
  }

  /// Remembers what a disguise stands for.
  func remember(_ disguise: String, for token: String) {
    state.withLock { state in
      if state.disguised.updateValue(token, forKey: disguise) == nil {
        state.order.append(disguise)
      }
      if state.order.count > Self.maximumDisguises {
        state.disguised[state.order.removeFirst()] = nil
      }
    }
  }

  /// The token behind a disguise; nil where it is none.
  func token(behind disguise: String) -> String? { state.withLock { $0.disguised[disguise] } }

  /// Waits on the calling thread, which it blocks; less where the server stops.
  func wait(_ duration: Duration) {
    guard duration > .zero else { return }
    let semaphore = DispatchSemaphore(value: 0)
    let number = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      state.nextWait += 1
      state.waiting[state.nextWait] = semaphore
      return state.nextWait
    }
    guard let number else { return }
    _ = semaphore.wait(timeout: .now() + .milliseconds(Int(duration.milliseconds)))
    state.withLock { _ = $0.waiting.removeValue(forKey: number) }
  }

  /// Ends all waits, and lets none begin until ``reopen()``.
  func endWaits() {
    let waiting = state.withLock { state in
      state.isOver = true
      return Array(state.waiting.values)
    }
    for semaphore in waiting { semaphore.signal() }
  }

  func reopen() { state.withLock { $0.isOver = false } }
}

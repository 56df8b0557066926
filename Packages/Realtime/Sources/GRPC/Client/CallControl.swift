internal import Synchronization

/// Ends a call from outside: deadline, cancellation.
///
/// Whatever the call is waiting for at the time sets what is to be done.
final class CallControl: Sendable {
  private struct State {
    var reason: GRPCStatus?
    var action: (@Sendable (GRPCStatus) -> Void)?
  }

  private let state = Mutex(State())
  private let flag = Atomic(false)

  /// Whether the call was ended; asked for every message, so without the lock.
  var isInterrupted: Bool { flag.load(ordering: .acquiring) }

  /// Why the call was ended; nil while it was not.
  var reason: GRPCStatus? { state.withLock { $0.reason } }

  /// Sets what ends the present wait; called at once when the call was ended already.
  func onInterrupt(_ action: @escaping @Sendable (GRPCStatus) -> Void) {
    let reason = state.withLock { state in
      state.action = action
      return state.reason
    }
    if let reason { action(reason) }
  }

  /// Forgets the action, and with it what it holds.
  func clear() { state.withLock { $0.action = nil } }

  /// Ends the call, once.
  func interrupt(_ reason: GRPCStatus) {
    let action = state.withLock { state -> (@Sendable (GRPCStatus) -> Void)? in
      guard state.reason == nil else { return nil }
      state.reason = reason
      flag.store(true, ordering: .releasing)
      return state.action
    }
    action?(reason)
  }
}

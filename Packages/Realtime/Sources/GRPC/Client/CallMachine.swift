/// Decides whether an attempt that ended was the call's last: a value without lock or I/O.
struct CallMachine {
  enum Decision: Equatable {
    /// The caller gets this outcome.
    case finish
    /// The server never looked at it: send it again.
    case retry
    /// The token was refused: ask for another one, and send it again if there is one.
    case renewToken
  }

  /// Attempts that did not even leave, after which the caller is told.
  static let maximumUnsent = 16

  private var unsent = 0
  private var wasRefused = false
  private var hasRenewedToken = false
  private var hasDelivered = false

  /// A message went to the caller: from now on nothing is sent again.
  mutating func delivered() { hasDelivered = true }

  /// An attempt ended.
  ///
  /// - Parameters:
  ///   - outcome: how.
  ///   - carriedToken: whether the provider's token went with the attempt.
  ///   - canReplay: whether all that was sent can be sent again.
  /// - Returns: what follows.
  mutating func ended(
    _ outcome: CallOutcome,
    carriedToken: Bool,
    canReplay: Bool
  ) -> Decision {
    guard canReplay, !hasDelivered else { return .finish }
    switch outcome.unprocessed {
    case .notSent:
      unsent += 1
      return unsent <= Self.maximumUnsent ? .retry : .finish
    case .refused:
      // Once: a server that refuses again means it.
      guard !wasRefused else { return .finish }
      wasRefused = true
      return .retry
    case nil: break
    }
    if outcome.status.code == .unauthenticated, carriedToken, !hasRenewedToken {
      hasRenewedToken = true
      return .renewToken
    }
    return .finish
  }
}

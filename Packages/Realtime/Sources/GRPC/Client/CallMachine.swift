/// Decides whether an attempt that ended was the call's last: a value without lock or I/O.
struct CallMachine {
  enum Decision: Equatable {
    /// The caller gets this outcome.
    case finish
    /// The server never saw it: send it again.
    case retry
    /// The token was refused: ask for another one, and send it again if there is one.
    case renewToken
  }

  /// Attempts that the server did not look at, after which the caller is told.
  static let maximumUnprocessed = 3

  private var unprocessed = 0
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
    if outcome.isUnprocessed {
      unprocessed += 1
      return unprocessed <= Self.maximumUnprocessed ? .retry : .finish
    }
    if outcome.status.code == .unauthenticated, carriedToken, !hasRenewedToken {
      hasRenewedToken = true
      return .renewToken
    }
    return .finish
  }
}

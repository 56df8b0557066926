/// One session's refresh tokens, and what becomes of them: pure, without clock, storage or key.
///
/// Tokens are known here by their keyed hashes only. Each rotation begins a new *generation*.
/// Most generations have one token; a resend of a lost answer adds a sibling to the newest one,
/// since a hash cannot be turned back into the token that was lost. Siblings are spent together.
///
/// A family may be loaded in part: all live tokens, and of the spent ones those presented.
struct TokenFamily: Equatable, Sendable {
  /// The session's id, `sid` in access tokens.
  let id: String
  /// Whose session it is.
  let userID: String
  /// The device that it is bound to; nil where the dialect sends none.
  let deviceID: String?
  /// How often the family rotated.
  private(set) var generation: Int
  /// The tokens that may still be spent: siblings of the newest generation, oldest first.
  private(set) var live: [LiveToken]
  /// Tokens that were spent.
  private(set) var spent: [SpentToken]
  /// Why the session is over, if it is.
  private(set) var revocation: RevocationReason?

  /// So many siblings are made as fast as they are asked for.
  static let promptSiblings = 16
  /// Another one is made no sooner than so long after the last, in milliseconds: every pair that
  /// was given out works until it is spent or expires, so that there must not be any number of them.
  static let siblingPause: Int64 = 60_000

  init(
    id: String,
    userID: String,
    deviceID: String?,
    generation: Int = 0,
    live: [LiveToken],
    spent: [SpentToken] = [],
    revocation: RevocationReason? = nil
  ) {
    (self.id, self.userID, self.deviceID) = (id, userID, deviceID)
    (self.generation, self.live, self.spent) = (generation, live, spent)
    self.revocation = revocation
  }

  /// Decides about one refresh request, and is what follows from it afterwards.
  ///
  /// - Parameters:
  ///   - presentation: what the client sent, and when.
  ///   - successor: the hash of a fresh token, used where the answer carries one.
  ///   - policy: lifetimes, and how far a reuse reaches.
  /// - Returns: what to answer, and to store.
  mutating func present(
    _ presentation: Presentation,
    successor: TokenHash,
    policy: Policy
  ) -> Decision {
    if let revocation { return .refused(.revoked(revocation)) }
    let presented = live.first { ConstantTime.areEqual($0.hash, presentation.token) }
    let earlier = spent.first { ConstantTime.areEqual($0.hash, presentation.token) }
    guard presented != nil || earlier != nil else { return .refused(.unknownToken) }

    // Before anything else is told about a token, who presents it must be its device.
    if let deviceID, deviceID != presentation.deviceID {
      return revoke(.deviceMismatch, scope: .family)
    }
    if let presented {
      guard presentation.now < presented.expiresAt else { return .refused(.expired) }
      return rotate(presentation, successor: successor, policy: policy)
    }
    guard let earlier else { return .refused(.unknownToken) }
    return presentAgain(earlier, presentation, successor: successor, policy: policy)
  }

  /// Ends the session; the first reason stays.
  mutating func revoke(_ reason: RevocationReason) {
    if revocation == nil { revocation = reason }
  }

  private mutating func rotate(
    _ presentation: Presentation,
    successor: TokenHash,
    policy: Policy
  ) -> Decision {
    for token in live {
      // A sibling's answer is another one than this attempt's: it can be graced, never resent.
      let isPresented = token.hash == presentation.token
      spent.append(
        SpentToken(
          hash: token.hash,
          generation: generation,
          spentAt: presentation.now,
          attemptID: isPresented ? presentation.attemptID : nil
        )
      )
    }
    generation += 1
    live = [fresh(successor, presentation, policy)]
    return .rotated
  }

  private mutating func presentAgain(
    _ earlier: SpentToken,
    _ presentation: Presentation,
    successor: TokenHash,
    policy: Policy
  ) -> Decision {
    let isSameAttempt =
      earlier.attemptID != nil && earlier.attemptID == presentation.attemptID
    // Once a successor was used its answer had arrived, so nothing is left to be sent again.
    let isSuccessorUnused = earlier.generation == generation - 1
    let isWithinGrace = presentation.now - earlier.spentAt < policy.grace
    guard isWithinGrace || (isSameAttempt && isSuccessorUnused) else {
      return revoke(.reuseDetected, scope: policy.reuseScope)
    }
    let siblings = live.filter { presentation.now < $0.expiresAt }
    guard let newest = siblings.map(\.issuedAt).max() else { return .refused(.expired) }
    guard isSameAttempt, isSuccessorUnused else { return .grace }
    if siblings.count >= Self.promptSiblings {
      let left = newest + Self.siblingPause - presentation.now
      // A clock that was set back must not keep anybody waiting for longer than the pause.
      if left > 0 { return .tooMany(retryAfter: min(left, Self.siblingPause)) }
    }
    live.append(fresh(successor, presentation, policy))
    return .resent
  }

  private func fresh(
    _ token: TokenHash,
    _ presentation: Presentation,
    _ policy: Policy
  ) -> LiveToken {
    let now = presentation.now
    return LiveToken(hash: token, issuedAt: now, expiresAt: now + policy.lifetime)
  }

  private mutating func revoke(_ reason: RevocationReason, scope: ReuseScope) -> Decision {
    revocation = reason
    return .revoked(reason, scope)
  }
}

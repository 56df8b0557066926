internal import Synchronization

/// Keeps passwords from being tried without end, on this instance.
final class LoginLimiter: Sendable {
  private let throttle: Mutex<LoginThrottle?>
  private let hash: KeyedHash

  /// What an attempt took, to be given back where the password was right.
  struct Attempt: Sendable {
    fileprivate let account: String
    fileprivate let network: String?
  }

  /// Without a limit where the rate is 0.
  init(attemptsPerMinute: Int, hash: KeyedHash) {
    throttle = Mutex(LoginThrottle(attemptsPerMinute: Int64(attemptsPerMinute)))
    self.hash = hash
  }

  /// Takes an attempt.
  ///
  /// - Parameters:
  ///   - identifier: the name or address that was typed.
  ///   - user: the id of the account of that name or address; nil where there is none.
  ///   - peer: where the attempt comes from; nil where that is not known.
  ///   - now: in milliseconds.
  /// - Returns: what was taken, for ``succeeded(_:)``.
  /// - Throws: ``ServiceFailure/tooManyAttempts(retryAfter:)``, without a word on whether there is
  ///   such a user.
  func begin(
    identifier: String,
    of user: String?,
    from peer: PeerAddress?,
    at now: Int64
  ) throws -> Attempt {
    // What is before the colon keeps a name that reads like an id apart from the id. A name can
    // be as long as a body; and a hash is nothing to be found in a memory dump.
    let account = user.map { "user:\($0)" } ?? "name:\(UserRecord.key(identifier))"
    let attempt = Attempt(account: hash(account), network: peer?.network)
    let verdict = throttle.withLock { throttle in
      throttle?.attempt(account: attempt.account, network: attempt.network, at: now)
    }
    if case .refused(let milliseconds)? = verdict {
      throw ServiceFailure.tooManyAttempts(retryAfter: (milliseconds + 999) / 1_000)
    }
    return attempt
  }

  /// The password was right.
  func succeeded(_ attempt: Attempt) {
    throttle.withLock { $0?.succeeded(account: attempt.account, network: attempt.network) }
  }
}

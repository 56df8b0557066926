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
  /// - Throws: ``ServiceFailure/tooManyAttempts(retryAfter:)``, without a word on whether there is
  ///   such a user.
  func begin(identifier: String, from peer: PeerAddress?, at now: Int64) throws -> Attempt {
    // A name can be as long as a body; and a hash is nothing to be found in a memory dump.
    let attempt = Attempt(account: hash(UserRecord.key(identifier)), network: peer?.network)
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

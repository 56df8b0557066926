internal import Synchronization

/// Keeps passwords from being tried without end: on this instance, and where the instances share a
/// server for it, on all of them together.
///
/// While that server cannot be asked, each instance counts for itself.
final class LoginLimiter: Sendable {
  private let throttle: Mutex<LoginThrottle?>
  private let rates: (account: AttemptBucket.Rate, network: AttemptBucket.Rate)?
  private let shared: (any SharedAttempts)?
  private let hash: KeyedHash

  /// What an attempt took, to be given back where the password was right.
  struct Attempt: Sendable {
    fileprivate let account: String
    fileprivate let network: String?
    /// What was taken from all instances' buckets.
    fileprivate var buckets: [SharedBucket] = []
  }

  /// Without a limit where the rate is 0.
  init(attemptsPerMinute: Int, hash: KeyedHash, shared: (any SharedAttempts)? = nil) {
    let throttle = LoginThrottle(attemptsPerMinute: Int64(attemptsPerMinute))
    rates = throttle.map { ($0.accountRate, $0.networkRate) }
    self.throttle = Mutex(throttle)
    (self.hash, self.shared) = (hash, shared)
  }

  /// Takes an attempt; blocks, where instances share their counts.
  ///
  /// - Throws: ``ServiceFailure/tooManyAttempts(retryAfter:)``, without a word on whether there is
  ///   such a user.
  func begin(identifier: String, from peer: PeerAddress?, at now: Int64) throws -> Attempt {
    // A name can be as long as a body; and a hash is nothing to be found in a memory dump.
    var attempt = Attempt(account: hash(UserRecord.key(identifier)), network: peer?.network)
    let verdict = throttle.withLock { throttle in
      throttle?.attempt(account: attempt.account, network: attempt.network, at: now)
    }
    if case .refused(let wait)? = verdict { throw Self.refusal(wait) }
    let buckets = buckets(of: attempt)
    switch buckets.isEmpty ? nil : shared?.take(buckets, at: now) {
    case nil: break
    case 0?: attempt.buckets = buckets
    case let wait?:
      giveBack(attempt)
      throw Self.refusal(wait)
    }
    return attempt
  }

  /// The password was right.
  func succeeded(_ attempt: Attempt, at now: Int64) {
    giveBack(attempt)
    if !attempt.buckets.isEmpty { shared?.giveBack(attempt.buckets, at: now) }
  }

  /// Counts for this instance only from now on.
  func close() { shared?.close() }

  private func giveBack(_ attempt: Attempt) {
    throttle.withLock { $0?.succeeded(account: attempt.account, network: attempt.network) }
  }

  private func buckets(of attempt: Attempt) -> [SharedBucket] {
    guard let rates else { return [] }
    var buckets = [SharedBucket(key: "account:\(attempt.account)", rate: rates.account)]
    if let network = attempt.network {
      buckets.append(SharedBucket(key: "network:\(hash(network))", rate: rates.network))
    }
    return buckets
  }

  private static func refusal(_ milliseconds: Int64) -> ServiceFailure {
    .tooManyAttempts(retryAfter: (milliseconds + 999) / 1_000)
  }
}

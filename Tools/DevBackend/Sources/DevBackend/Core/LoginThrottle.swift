/// Who may try a password now: pure, without clock or lock.
///
/// There is a bucket for each account and one for each network. Only attempts that failed are
/// missing from them in the end, so that nobody is kept out by signing in. An account is known by
/// what was typed, whether there is one of that name or not: a limit says nothing about that, nor
/// which name and address belong together.
struct LoginThrottle: Sendable {
  /// Whether an attempt may be made.
  enum Verdict: Equatable, Sendable {
    case allowed
    /// Not before so many milliseconds are over.
    case refused(retryAfter: Int64)
  }

  /// A network may make so many times the attempts of an account: many people share one.
  static let accountsOfNetwork: Int64 = 10

  /// More buckets of a kind are not kept.
  let capacity: Int
  let accountRate: AttemptBucket.Rate
  let networkRate: AttemptBucket.Rate
  private var accounts: [String: AttemptBucket] = [:]
  private var networks: [String: AttemptBucket] = [:]

  /// Nil where there is no limit.
  init?(attemptsPerMinute: Int64, capacity: Int = 50_000) {
    let (product, overflows) = attemptsPerMinute.multipliedReportingOverflow(
      by: Self.accountsOfNetwork
    )
    guard let account = AttemptBucket.Rate(attemptsPerMinute: attemptsPerMinute),
      let network = AttemptBucket.Rate(attemptsPerMinute: overflows ? .max : product)
    else { return nil }
    (accountRate, networkRate, self.capacity) = (account, network, max(capacity, 1))
  }

  /// How many buckets are kept.
  var count: Int { accounts.count + networks.count }

  /// Takes one attempt from both buckets, or from neither.
  ///
  /// - Parameters:
  ///   - account: what stands for the name or address that was typed.
  ///   - network: where the attempt comes from; nil where that is not known.
  ///   - now: in milliseconds.
  /// - Returns: whether the password may be looked at.
  mutating func attempt(account: String, network: String?, at now: Int64) -> Verdict {
    var ofAccount = accounts[account] ?? AttemptBucket(at: now)
    var ofNetwork = network.map { networks[$0] ?? AttemptBucket(at: now) }
    let waits = [ofAccount.wait(at: now, accountRate), ofNetwork?.wait(at: now, networkRate)]
    let longest = waits.compactMap(\.self).max()
    if longest == nil {
      ofAccount.take(at: now, accountRate)
      ofNetwork?.take(at: now, networkRate)
    }
    Self.keep(ofAccount, account, in: &accounts, capacity, now)
    if let network, let ofNetwork {
      Self.keep(ofNetwork, network, in: &networks, capacity, now)
    }
    return longest.map { .refused(retryAfter: $0) } ?? .allowed
  }

  /// The password was right: the attempt is given back.
  mutating func succeeded(account: String, network: String?) {
    accounts[account]?.giveBack(accountRate)
    if let network { networks[network]?.giveBack(networkRate) }
  }

  private static func keep(
    _ bucket: AttemptBucket,
    _ key: String,
    in buckets: inout [String: AttemptBucket],
    _ capacity: Int,
    _ now: Int64
  ) {
    if buckets[key] == nil, buckets.count >= capacity {
      buckets = buckets.filter { $0.value.fullAt > now }
      if buckets.count >= capacity {
        // Those that are nearly full lose least by being forgotten.
        let kept = buckets.sorted { $0.value.fullAt > $1.value.fullAt }.prefix(capacity / 2)
        buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
      }
    }
    buckets[key] = bucket
  }
}

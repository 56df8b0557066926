internal import DevBackend
internal import Synchronization

/// Attempts that all instances on one Redis server count together.
///
/// Each bucket is a key, `dev-backend:attempts:…`, that holds the instant at which it is full again,
/// and lives until then.
final class RedisAttempts: SharedAttempts {
  /// What stands before a bucket's name.
  static let prefix = "dev-backend:attempts:"

  private struct State {
    var connection: RedisConnection?
    var backoff = ReconnectBackoff()
    var isClosed = false
  }

  private let address: RedisAddress
  // How long Redis may take for an answer, for which somebody waits to sign in.
  private let limit: Duration
  private let state = Mutex(State())
  // Read without the lock, which is held for as long as Redis may take.
  private let isLost = Atomic(false)

  init(_ address: RedisAddress, limit: Duration = .milliseconds(500)) {
    (self.address, self.limit) = (address, limit)
  }

  func take(_ buckets: [SharedBucket], at now: Int64) -> Int64? {
    guard case .integer(let wait)? = run(Self.taking, buckets, now) else { return nil }
    return wait
  }

  func giveBack(_ buckets: [SharedBucket], at now: Int64) { _ = run(Self.givingBack, buckets, now) }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.connection = nil
    }
  }

  /// ``AttemptBucket``'s `wait` and `take`, for all buckets or none.
  private static let taking = """
    local now, longest, full = tonumber(ARGV[1]), 0, {}
    for i, key in ipairs(KEYS) do
      local share, whole = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
      full[i] = math.max(math.min(tonumber(redis.call('GET', key) or now), now + whole), now)
      longest = math.max(longest, full[i] + share - (now + whole))
    end
    for i, key in ipairs(KEYS) do
      local at = full[i]
      if longest <= 0 then at = at + tonumber(ARGV[2 * i]) end
      if at > now then
        redis.call('SET', key, string.format('%.0f', at), 'PX', string.format('%.0f', at - now))
      end
    end
    return longest
    """

  /// ``AttemptBucket``'s `giveBack`.
  private static let givingBack = """
    local now = tonumber(ARGV[1])
    for i, key in ipairs(KEYS) do
      local at = tonumber(redis.call('GET', key) or now) - tonumber(ARGV[2 * i])
      if at > now then
        redis.call('SET', key, string.format('%.0f', at), 'PX', string.format('%.0f', at - now))
      else
        redis.call('DEL', key)
      end
    end
    return 0
    """

  private func run(
    _ script: String,
    _ buckets: [SharedBucket],
    _ now: Int64
  ) -> RedisConnection.Reply? {
    let command =
      ["EVAL", script, String(buckets.count)] + buckets.map { Self.prefix + $0.key }
      + [String(now)] + buckets.flatMap { [String($0.share), String($0.whole)] }
    // While Redis is lost one tries, and the others do not wait for it.
    guard isLost.load(ordering: .relaxed) else {
      return state.withLock { self.run(command, &$0) }
    }
    return state.withLockIfAvailable { self.run(command, &$0) } ?? nil
  }

  private func run(_ command: [String], _ state: inout State) -> RedisConnection.Reply? {
    // The connection may be one of before a restart of the server: then a new one is tried.
    for isSecond in [false, true] {
      guard !state.isClosed, state.backoff.mayTry(at: .now) else { return nil }
      let known = state.connection
      state.connection = nil
      do {
        let connection = try known ?? RedisConnection(address, limit: limit)
        let reply = try connection.run(command)[0]
        state.connection = connection
        state.backoff.succeeded()
        isLost.store(false, ordering: .relaxed)
        return reply
      } catch {
        if known != nil, !isSecond { continue }
        state.backoff.failed(at: .now, jitter: Double.random(in: 0...1))
        isLost.store(true, ordering: .relaxed)
        return nil
      }
    }
    return nil
  }
}

/// One fault, and the requests that it hits.
struct FaultRule: Equatable, Sendable {
  /// As it was written.
  let text: String
  let action: FaultAction
  /// Which paths; `*` stands for any number of characters.
  var path = PathPattern("*")
  /// Only requests of this method; nil for any.
  ///
  /// Realtime calls have the method `RPC`.
  var method: String?
  /// So many requests that match pass first.
  var after = 0
  /// So often it happens, then no more; nil without end.
  var times: Int?
  /// How likely it is, for each request that matches.
  var probability = 1.0
  /// With a status: when the client may come again.
  var retryAfter: RetryAfter?
  /// With a status: the `code` of the answer.
  var code: String?
  /// The random numbers that decide; the same seed decides the same way.
  var random = SeededRandom(seed: 0)
  /// Whether it waits for a request at all.
  var waitsForRequest = true

  /// How many requests matched so far.
  private(set) var matched = 0
  /// How often it happened so far.
  private(set) var applied = 0

  init(text: String, action: FaultAction) {
    (self.text, self.action) = (text, action)
  }

  /// Whether it hits a request; counts.
  mutating func hits(_ request: FaultRequest) -> Bool {
    guard waitsForRequest, method == nil || method == request.method, path.matches(request.path)
    else { return false }
    matched += 1
    guard matched > after, applied < times ?? .max else { return false }
    guard probability >= 1 || random.next() < probability else { return false }
    applied += 1
    return true
  }

  /// Notes that what waits for no request happened.
  mutating func happened() { applied += 1 }
}

/// What a fault sees of a request.
struct FaultRequest: Equatable, Sendable {
  let method: String
  /// Without the query.
  let path: String
}

/// A path in which `*` stands for any number of characters, slashes too.
struct PathPattern: Equatable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  func matches(_ path: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    var rest = Array(path.utf8)[...]
    guard let first = parts.first, rest.starts(with: first) else { return false }
    rest = rest.dropFirst(first.count)
    guard parts.count > 1, let last = parts.last else { return rest.isEmpty }
    for part in parts.dropFirst().dropLast() {
      guard let end = Self.end(of: Array(part), in: rest) else { return false }
      rest = rest[end...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }

  /// Where the first occurrence of a part ends.
  private static func end(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
    guard !part.isEmpty else { return text.startIndex }
    guard text.count >= part.count else { return nil }
    return (text.startIndex...text.endIndex - part.count)
      .first { text[$0..<$0 + part.count].elementsEqual(part) }
      .map { $0 + part.count }
  }
}

/// Random numbers that a seed decides (SplitMix64).
struct SeededRandom: Equatable, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// From 0 up to, but not including, 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((word ^ word >> 31) >> 11) / 9_007_199_254_740_992
  }
}

/// When a client may come again, from now on in seconds.
enum RetryAfter: Equatable, Sendable {
  case seconds(Int64)
  /// Said as an HTTP date.
  case date(Int64)

  /// The value of `Retry-After` at an instant in milliseconds since 1970.
  func header(now: Int64) -> HTTPHeader {
    switch self {
    case .seconds(let seconds): HTTPHeader("Retry-After", String(seconds))
    case .date(let seconds): HTTPHeader("Retry-After", Timestamp.http(now + seconds * 1_000))
    }
  }
}

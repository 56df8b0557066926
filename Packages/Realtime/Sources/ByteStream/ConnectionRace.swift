/// Decides in which order and when the addresses of a host are tried, and which one is taken: a
/// value without clock or I/O (RFC 8305, Happy Eyeballs).
///
/// IPv6 and IPv4 take turns, beginning with what the resolver prefers. While an attempt is silent
/// the next one begins after ``delay``, and at once when an attempt fails. The first to connect is
/// taken and the others are closed; should it break before it is of use, the race goes on.
struct ConnectionRace {
  enum Effect: Equatable {
    /// Begin to connect to the address with this index.
    case connect(Int)
    /// Call ``delayElapsed(at:)`` at this time.
    case wake(at: ContinuousClock.Instant)
    /// Take this one, and close every other one that was begun.
    case take(Int)
    /// No address is left.
    case fail
  }

  /// The Connection Attempt Delay of RFC 8305, section 5.
  static let delay = Duration.milliseconds(250)

  private var waiting: ArraySlice<Int>
  /// The attempts that are under way, in the order in which they began.
  private var begun: [Int] = []
  private var taken: Int?
  private var wakesAt: ContinuousClock.Instant?

  /// - Parameter families: the address family of each address, in the resolver's order.
  init(families: [Int32]) { waiting = Self.interleaved(families)[...] }

  /// The race begins, or goes on after ``broke(at:)``.
  mutating func start(at now: ContinuousClock.Instant) -> [Effect] {
    guard taken == nil, begun.isEmpty else { return [] }
    return next(at: now)
  }

  /// The time of ``Effect/wake(at:)`` has come.
  mutating func delayElapsed(at now: ContinuousClock.Instant) -> [Effect] {
    guard taken == nil, let wakesAt, now >= wakesAt else { return [] }
    return next(at: now)
  }

  /// An attempt has connected.
  mutating func connected(_ index: Int) -> [Effect] {
    guard taken == nil, begun.contains(index) else { return [] }
    taken = index
    wakesAt = nil
    // Those that lose may be needed again, and were not found wanting.
    waiting = (begun.filter { $0 != index } + waiting)[...]
    begun = []
    return [.take(index)]
  }

  /// An attempt has failed.
  mutating func failed(_ index: Int, at now: ContinuousClock.Instant) -> [Effect] {
    guard taken == nil, let place = begun.firstIndex(of: index) else { return [] }
    begun.remove(at: place)
    if !waiting.isEmpty { return next(at: now) }
    return begun.isEmpty ? [.fail] : []
  }

  /// The one that was taken broke before it was of use: the others have another chance.
  mutating func broke(at now: ContinuousClock.Instant) -> [Effect] {
    guard taken != nil else { return [] }
    taken = nil
    return start(at: now)
  }

  private mutating func next(at now: ContinuousClock.Instant) -> [Effect] {
    wakesAt = nil
    guard let index = waiting.popFirst() else { return begun.isEmpty ? [.fail] : [] }
    begun.append(index)
    guard !waiting.isEmpty else { return [.connect(index)] }
    let time = now + Self.delay
    wakesAt = time
    return [.connect(index), .wake(at: time)]
  }

  /// The indices with the families taking turns, each family in its own order.
  private static func interleaved(_ families: [Int32]) -> [Int] {
    guard let first = families.first else { return [] }
    var preferred = families.indices.filter { families[$0] == first }[...]
    var others = families.indices.filter { families[$0] != first }[...]
    var order: [Int] = []
    while !preferred.isEmpty || !others.isEmpty {
      if let index = preferred.popFirst() { order.append(index) }
      if let index = others.popFirst() { order.append(index) }
    }
    return order
  }
}

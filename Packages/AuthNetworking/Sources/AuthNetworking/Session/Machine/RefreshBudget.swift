internal import SecureStorage

/// How many refreshes a 401 may cause, so that a server that refuses everything costs little (R12).
///
/// Only refreshes count whose old token was, by the clock, still good: those of expired tokens
/// are bounded by the tokens' lifetimes. Those of other processes count where the store tells them.
struct RefreshBudget: Hashable, Sendable {
  /// The most within the window.
  static let limit = 10
  /// The most within the window whose token had never been accepted by any request.
  static let fruitlessLimit = 3
  /// The window.
  static let window = Duration.seconds(60)

  /// One that was spent, and when on the monotonic clock.
  private struct Entry: Hashable, Sendable {
    var stamp: Double
    var isFruitless: Bool
    var time: Duration
  }

  private var own: [Entry] = []
  private var others: [Entry] = []

  init() {}

  /// Takes one refresh out of the budget; nil where there is none left.
  mutating func spend(isFruitless: Bool, at moment: Moment) -> ForcedRefresh? {
    let start = moment.monotonic - RefreshBudget.window
    own.removeAll { $0.time <= start }
    others.removeAll { $0.time <= start }
    let spent = own + others
    guard spent.count < RefreshBudget.limit,
      !isFruitless || spent.count(where: \.isFruitless) < RefreshBudget.fruitlessLimit
    else { return nil }
    own.append(Entry(stamp: moment.wall, isFruitless: isFruitless, time: moment.monotonic))
    return ForcedRefresh(at: moment.wall, isFruitless: isFruitless)
  }

  /// Takes over what the store says of all processes.
  ///
  /// The wall clock that they were stamped with may have been set since: what seems to lie further
  /// away than the window, in either direction, does not count.
  mutating func adopt(_ stored: [ForcedRefresh]?, at moment: Moment) {
    let known = Set(own.map(\.stamp))
    others = RefreshBudget.recent(stored, at: moment.wall)
      .filter { !known.contains($0.at) }
      .map { refresh in
        let age = Duration(clampedSeconds: max(0, moment.wall - refresh.at))
        return Entry(
          stamp: refresh.at,
          isFruitless: refresh.isFruitless,
          time: moment.monotonic - age
        )
      }
  }

  /// Those that count still.
  static func recent(_ stored: [ForcedRefresh]?, at wall: Double) -> [ForcedRefresh] {
    (stored ?? []).filter { ($0.at - wall).magnitude < window.inSeconds }
  }
}

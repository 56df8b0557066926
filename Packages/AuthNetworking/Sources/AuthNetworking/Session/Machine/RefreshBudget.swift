/// How many refreshes a 401 may cause, so that a server that refuses everything costs little (R12).
///
/// Only refreshes count whose old token was, by the clock, still good: those of expired tokens
/// are bounded by the tokens' lifetimes.
struct RefreshBudget: Hashable, Sendable {
  /// The most within the window.
  var limit = 10
  /// The most within the window whose token had never been accepted by any request.
  var fruitlessLimit = 3
  /// The window, on the monotonic clock.
  var window = Duration.seconds(60)

  private var spent: [Duration] = []
  private var fruitless: [Duration] = []

  init() {}

  /// Takes one refresh out of the budget; false where there is none left.
  mutating func spend(isFruitless: Bool, at now: Duration) -> Bool {
    let start = now - window
    spent.removeAll { $0 <= start }
    fruitless.removeAll { $0 <= start }
    guard spent.count < limit, !isFruitless || fruitless.count < fruitlessLimit else {
      return false
    }
    spent.append(now)
    if isFruitless { fruitless.append(now) }
    return true
  }
}

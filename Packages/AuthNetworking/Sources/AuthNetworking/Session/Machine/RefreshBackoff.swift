internal import SessionModels

/// When a refresh may be tried again after it failed for a temporary reason (R12).
struct RefreshBackoff: Hashable, Sendable {
  /// The wait after the first failure; it doubles with each further one.
  var base = Duration.milliseconds(500)
  /// The longest wait that the client chooses.
  var ceiling = Duration.seconds(60)
  /// The longest wait that a server may ask for.
  var retryAfterCap = Duration.seconds(300)

  private var failures = 0
  private var notBefore: Duration?
  private var isAskedFor = false

  init(base: Duration = .milliseconds(500)) { self.base = base }

  /// How long to wait still; nil when a refresh may start.
  ///
  /// Where a person asked for it (`isDemanded`), only the server's own wish is obeyed.
  func wait(at now: Duration, isDemanded: Bool) -> Duration? {
    guard let notBefore, notBefore > now, isAskedFor || !isDemanded else { return nil }
    return notBefore - now
  }

  /// Notes a failure.
  ///
  /// `jitter` is 0 up to 1 and shortens the wait by up to half of it.
  mutating func fail(retryAfter: Duration?, at now: Duration, jitter: Double) {
    failures = min(failures + 1, 20)
    let doubled = base * (1 << min(failures - 1, 10))
    var wait = min(doubled, ceiling) * (1 - jitter / 2)
    isAskedFor = false
    if let retryAfter, retryAfter > .zero {
      isAskedFor = true
      wait = max(wait, min(retryAfter, retryAfterCap))
    }
    notBefore = now + wait
  }

  /// Forgets the waits that the client chose itself, as when the app comes to the front; what the
  /// server asked for stands.
  mutating func hurry() {
    if !isAskedFor { succeed() }
  }

  /// Forgets the failures.
  mutating func succeed() {
    failures = 0
    notBefore = nil
    isAskedFor = false
  }
}

internal import Dispatch
internal import Synchronization

/// Looks again and again at what other instances did in a shared database.
///
/// The bus is faster, but nothing rests on it: an instance that was killed between its commit and
/// its word to the others is noticed here, and where looking fails no token is let in.
final class DatabaseWatch: Sendable {
  /// So often it looks.
  static let period: Duration = .milliseconds(200)

  private let database: Database
  private let view: Mutex<SharedView>
  private let timer = RepeatingTimer()
  private let failed = Atomic(false)
  private let act: Mutex<(@Sendable (News) -> Void)?>

  /// What is told to whoever began the watch.
  enum News: Sendable {
    case revoked([Revoked])
    case messages(group: String)
    /// Looking fails, and the last look is too old to let anybody in.
    case blind
  }

  init(_ database: Database, first look: DatabaseLook, begun: ContinuousClock.Instant) {
    self.database = database
    view = Mutex(SharedView(look, begun: begun))
    act = Mutex(nil)
  }

  func start(_ act: @escaping @Sendable (News) -> Void) {
    self.act.withLock { $0 = act }
    timer.start(every: Self.period, leeway: .milliseconds(50)) { [weak self] in self?.tick() }
  }

  func stop() {
    timer.stop()
    act.withLock { $0 = nil }
  }

  /// Whether the last look was so late that streams ended, and none succeeded since.
  var isBlind: Bool { failed.load(ordering: .acquiring) }

  /// Whether a revocation of the last second would be known.
  var isFresh: Bool { view.withLock { $0.isFresh(at: .now) } }

  /// Looks now, where the last look is too old; blocks.
  ///
  /// - Throws: where the database fails: nobody knows then who was signed out.
  func catchUp() throws {
    if !isFresh { try look() }
  }

  /// The same for callers that must not block.
  func catchUp() async throws {
    if isFresh { return }
    let (begun, last) = (ContinuousClock.now, view.withLock(\.revocation))
    take(try await database.perform { try DatabaseLook.taken(after: last, $0) }, begun)
  }

  private func tick() {
    do {
      try look()
    } catch {
      guard !isFresh, !failed.exchange(true, ordering: .acquiringAndReleasing) else { return }
      act.withLock { $0 }?(.blind)
    }
  }

  private func look() throws {
    let (begun, last) = (ContinuousClock.now, view.withLock(\.revocation))
    take(try database.transaction { try DatabaseLook.taken(after: last, $0) }, begun)
  }

  private func take(_ look: DatabaseLook, _ begun: ContinuousClock.Instant) {
    let act = act.withLock { $0 }
    // Before the view is called fresh: until then nobody is let in on its word.
    if !look.revoked.isEmpty { act?(.revoked(look.revoked)) }
    for group in view.withLock({ $0.take(look, begun: begun) }) { act?(.messages(group: group)) }
    failed.store(false, ordering: .releasing)
  }
}

/// Which signing key signs, which verify, and when the next one is due: pure, without key or clock.
///
/// A key is *announced* first: it is published, and verifies, but does not sign until whoever
/// verifies tokens has surely fetched it. When a later key begins to sign, it goes on to verify for
/// as long as a token that it signed can live, and is forgotten then. Instants are in milliseconds
/// since 1970, by the server's clock.
struct SigningKeySchedule: Equatable, Sendable {
  /// One key's place in time.
  struct Entry: Equatable, Sendable {
    let id: String
    /// From this instant on it signs, until a later key does.
    let signsFrom: Int64
  }

  /// How long keys and tokens live.
  struct Policy: Equatable, Sendable {
    /// No access token lives longer.
    var accessLifetime: Int64
    /// A key is published this long before it signs.
    var announcement: Int64
    /// A key signs this long before the next one does; nil rotates only when told to.
    var interval: Int64?

    /// So much longer than its tokens a key is kept, for clocks that differ and for an instance
    /// that has not heard of its successor yet.
    static let margin: Int64 = 60_000
  }

  /// By when they sign, the earliest first.
  private(set) var entries: [Entry]

  init(_ entries: [Entry]) {
    self.entries = entries.sorted { ($0.signsFrom, $0.id) < ($1.signsFrom, $1.id) }
  }

  /// The key that signs now; nil where there is none at all.
  ///
  /// Where the clock was set back before every key's time, the earliest signs.
  func signing(at now: Int64) -> String? {
    (entries.last { $0.signsFrom <= now } ?? entries.first)?.id
  }

  /// The keys that verify now and are published, the earliest first; announced ones too, for
  /// another instance's clock may be a little ahead.
  func verifying(at now: Int64, _ policy: Policy) -> [String] {
    entries.indices.filter { !isForgotten($0, now, policy) }.map { entries[$0].id }
  }

  /// The keys that will never be needed again.
  func forgotten(at now: Int64, _ policy: Policy) -> [String] {
    entries.indices.filter { isForgotten($0, now, policy) }.map { entries[$0].id }
  }

  /// When a new key is to sign that has to be announced now; nil where none is due.
  func due(at now: Int64, _ policy: Policy) -> Int64? {
    guard let last = entries.last else { return now }
    guard let interval = policy.interval else { return nil }
    // While one is announced, `last` is that one, so that none is made twice.
    let next = last.signsFrom + interval
    return now >= next - policy.announcement ? max(next, now + policy.announcement) : nil
  }

  /// When a key that an operator asks for now begins to sign: the first one at once, any other
  /// when it was announced for long enough.
  func requested(at now: Int64, _ policy: Policy) -> Int64 {
    entries.isEmpty ? now : now + policy.announcement
  }

  private func isForgotten(_ index: Int, _ now: Int64, _ policy: Policy) -> Bool {
    // The newest that has begun to sign before this instant ended the time of all before it.
    guard index + 1 < entries.count else { return false }
    let successor = entries[index + 1].signsFrom
    return now >= successor + policy.accessLifetime + Policy.margin
  }
}

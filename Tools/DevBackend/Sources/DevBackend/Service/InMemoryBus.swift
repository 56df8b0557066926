internal import Synchronization

/// The bus of one instance among those of one process: it is never deaf, and has delivered when
/// ``publish(_:)`` returns.
final class InMemoryBus: InstanceBus {
  private typealias Member = @Sendable (InstanceNews) -> Bool

  /// What the instances share.
  private final class Medium: Sendable {
    let members = Mutex<[ObjectIdentifier: Member]>([:])
  }

  private let medium: Medium

  /// A bus of its own.
  init() { medium = Medium() }

  /// One more instance's end of the same bus.
  init(beside other: InMemoryBus) { medium = other.medium }

  func join(_ hear: @escaping @Sendable (InstanceNews) -> Bool) {
    medium.members.withLock { $0[ObjectIdentifier(self)] = hear }
  }

  func publish(_ news: InstanceNews) {
    let others = medium.members.withLock { members in
      members.filter { $0.key != ObjectIdentifier(self) }
    }
    // Outside the lock, since a member may publish or leave in turn.
    for hear in others.values { _ = hear(news) }
  }

  /// Does nothing, for what is shared within a process is lost with all who look at it.
  func restore(_ ended: [Revoked]) {}

  func leave() {
    medium.members.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// Says something to every member, as tests do to have them miss news.
  func tell(_ news: InstanceNews) {
    // Outside the lock, since a member may publish or leave in turn.
    for hear in medium.members.withLock({ Array($0.values) }) { _ = hear(news) }
  }
}

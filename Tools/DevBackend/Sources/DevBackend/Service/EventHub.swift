internal import Synchronization

/// Tells open streams that something happened; what happened they read from the database.
///
/// So a slow stream costs no memory, and none can miss a message: a bell that rings twice before
/// it is heard is heard once, and the stream reads on from its last sequence number.
final class EventHub: Sendable {
  private struct State {
    var mailboxes: [Int: Mailbox] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  /// A mailbox for one stream of a session, until ``close(_:)``.
  func open(session: String) -> Mailbox {
    state.withLock { state in
      state.nextNumber += 1
      let mailbox = Mailbox(number: state.nextNumber, session: session)
      state.mailboxes[mailbox.number] = mailbox
      return mailbox
    }
  }

  func close(_ mailbox: Mailbox) {
    state.withLock { _ = $0.mailboxes.removeValue(forKey: mailbox.number) }
    mailbox.finish()
  }

  /// How many streams are open.
  var count: Int { state.withLock { $0.mailboxes.count } }

  /// New messages lie in a group.
  func messagesArrived(in group: String) { forEach { if $0.watches(group) { $0.ring() } } }

  func typing(_ signal: TypingSignal, from sender: Mailbox? = nil) {
    forEach { if $0.number != sender?.number { $0.deliver(signal) } }
  }

  /// The streams of these sessions are to end.
  func end(_ revoked: [Revoked]) {
    for session in revoked { forEach { if $0.session == session.sessionID { $0.alarm() } } }
  }

  /// Tokens may have expired: each stream looks again.
  func recheck() { forEach { $0.alarm() } }

  private func forEach(_ body: (Mailbox) -> Void) {
    // Outside the lock, since a stream that wakes up may come back here at once.
    for mailbox in state.withLock({ Array($0.mailboxes.values) }) { body(mailbox) }
  }
}

/// Somebody types in a group.
package struct TypingSignal: Equatable, Sendable {
  package let groupID: String
  package let userID: String

  package init(groupID: String, userID: String) {
    (self.groupID, self.userID) = (groupID, userID)
  }
}

/// Why a stream is ended by the server.
enum StreamEnding: Equatable, Sendable {
  case revoked(RevocationReason)
  case tokenExpired
  /// Whether it was revoked is not known: see ``BackendCore/isCutOff``.
  case unavailable
}

internal import Synchronization

/// What lies ready for one stream.
final class Mailbox: Sendable {
  let number: Int
  let session: String
  /// Rings when the stream should look for news; several rings may be heard as one.
  let bell: AsyncStream<Void>
  /// Rings when the stream should ask whether it may go on.
  let alarms: AsyncStream<Void>
  private let bellRinger: AsyncStream<Void>.Continuation
  private let alarmRinger: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  private struct State {
    var groups: Set<String> = []
    var typing: [TypingSignal] = []
  }

  init(number: Int, session: String) {
    (self.number, self.session) = (number, session)
    (bell, bellRinger) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (alarms, alarmRinger) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// From now on news of the group rings the bell.
  func watch(_ group: String) { state.withLock { _ = $0.groups.insert(group) } }

  func watches(_ group: String) -> Bool { state.withLock { $0.groups.contains(group) } }

  func ring() { bellRinger.yield() }

  func alarm() {
    alarmRinger.yield()
    ring()
  }

  func deliver(_ signal: TypingSignal) {
    // Typing is worth showing only while it is news, so a stream that lags behind loses some.
    let isTaken = state.withLock { state in
      guard state.groups.contains(signal.groupID), state.typing.count < 32 else { return false }
      state.typing.append(signal)
      return true
    }
    if isTaken { ring() }
  }

  func takeTyping() -> [TypingSignal] {
    state.withLock { state in
      defer { state.typing = [] }
      return state.typing
    }
  }

  func finish() {
    bellRinger.finish()
    alarmRinger.finish()
  }
}

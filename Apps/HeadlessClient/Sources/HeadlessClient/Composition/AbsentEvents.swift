internal import GroupMessages

/// The events of a command that watches nothing: there are none.
struct AbsentEvents: EventStream {
  func events(group: String, after: UInt64) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    AsyncThrowingStream<GroupEvent, any Error> { $0.finish() }
  }
}

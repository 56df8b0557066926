internal import GroupMessages

/// The events of a client that knows no realtime endpoint: there are none, and the error says why.
struct AbsentEvents: EventStream {
  func events(group: String, after: UInt64) -> any AsyncSequence<GroupEvent, any Error> & Sendable {
    AsyncThrowingStream<GroupEvent, any Error> { continuation in
      continuation.finish(
        throwing: ClientError.usage(
          "no realtime endpoint is known",
          advice: "Name it with --realtime-url when signing in"
        )
      )
    }
  }
}

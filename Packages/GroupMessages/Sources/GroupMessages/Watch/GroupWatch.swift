internal import SessionModels

/// The messages of a group as they come: an async sequence without a gap and without an end.
///
/// Every sequence is delivered once and in order, whatever the stream repeats, swaps or leaves
/// out. What the stream does not fill in within 5 seconds is got from the history; where the
/// history lacks it too, a ``GroupEvent/gap(after:before:)`` stands in its place. Typing signals
/// come through at once.
///
/// Before the first event the current user is looked up, so ``CurrentUser/known`` is there for
/// every message. Temporary failures are waited out, that of the first connection too.
///
/// Nothing happens before the first event is asked for, and nothing is read further ahead than
/// a few events. Cancelling the reading task ends the sequence. Each iterator is a watch of its
/// own.
///
/// It throws a ``MessageError`` where it cannot go on: the group is not there, the input is
/// wrong, the session has ended, or the event stream ended with an error.
public struct GroupWatch: AsyncSequence, Sendable {
  /// A message, a typing signal, or a gap that nothing could fill.
  public typealias Element = GroupEvent
  /// What ends a watch for good.
  public typealias Failure = MessageError

  let calls: MessageCalls
  let events: any EventStream
  let currentUser: CurrentUser
  let clock: any Clock<Duration>
  let chance: @Sendable () -> Double
  let group: String
  let after: UInt64?

  /// Starts a watch at its first `next`.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: WatchRun(watch: self)) }

  /// Reads one watch, which ends when the iterator is dropped.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let run: WatchRun

    /// The next event, or nil where the task was cancelled or the stream has ended.
    ///
    /// It runs where the caller runs.
    ///
    /// - Throws: ``MessageError`` where the watch cannot go on.
    public mutating func next() async throws(MessageError) -> GroupEvent? {
      do throws(MessageError) {
        return try await run.next()
      } catch .cancelled {
        return nil
      }
    }

    /// The same as ``next()``, for `for await` loops.
    ///
    /// - Throws: ``MessageError`` where the watch cannot go on.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(MessageError) -> GroupEvent? {
      try await next()
    }
  }
}

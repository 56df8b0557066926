internal import SessionModels

/// A group's conversation while it is open: an async sequence of what it looks like.
///
/// ```swift
/// let timeline = messages.timeline(of: "general")
/// for try await snapshot in timeline { show(snapshot) }
/// ```
///
/// What is cached comes at once, then what the server has, after one page of history. From then on
/// it follows along: each message once and in order, the user's own unsent ones last. A reader that
/// is slow gets the latest snapshot and not each of them, so nothing piles up; several readers
/// each get all that they have time for.
///
/// At most some 1,000 messages are kept of those that come by themselves, and 20,000 where the
/// reader goes back. The newest 200 (512 KiB at most) are stored, by way of ``MessageStorage``, for
/// the next opening. They go with the session, and an open timeline ends with it.
///
/// Nothing happens before the first snapshot is asked for. It ends when the last reference to it,
/// and to its iterators, is dropped, and sooner with ``close()``. A reader whose task is cancelled
/// gets nil. It throws a ``MessageError`` where it cannot go on: the group is not there, the
/// session has ended, another account has signed in (`sessionChanged`).
public final class GroupTimeline: AsyncSequence, Sendable {
  /// What the conversation looks like.
  public typealias Element = TimelineSnapshot
  /// What ends a timeline for good.
  public typealias Failure = MessageError

  /// The group's id.
  public let group: String
  private let run: TimelineRun

  init(_ parts: TimelineRun.Parts) {
    group = parts.group
    run = TimelineRun(parts)
  }

  deinit { run.end() }

  /// What it looks like now; empty before the first snapshot was asked for.
  public var snapshot: TimelineSnapshot { run.snapshot }

  /// Begins with the present snapshot, as soon as there is one.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(timeline: self) }

  /// Reads a timeline.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let timeline: GroupTimeline
    private var seen: UInt64 = 0

    fileprivate init(timeline: GroupTimeline) { self.timeline = timeline }

    /// The latest snapshot, as soon as it is another one than the last; nil where the task was
    /// cancelled or the timeline was closed.
    ///
    /// - Throws: ``MessageError`` where the timeline cannot go on.
    public mutating func next() async throws(MessageError) -> TimelineSnapshot? {
      guard let (snapshot, version) = try await timeline.run.next(after: seen) else { return nil }
      seen = version
      return snapshot
    }

    /// The same as ``next()``, for `for await` loops.
    ///
    /// - Throws: ``MessageError`` where the timeline cannot go on.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(MessageError) -> TimelineSnapshot? {
      try await next()
    }
  }
}

// MARK: What the user does

extension GroupTimeline {
  /// Writes a message: it is kept, shown, and sent as soon as that can be.
  ///
  /// - Parameter text: the text.
  /// - Returns: the message, as it is shown until the server has it.
  /// - Throws: ``MessageError``, as ``Outbox/write(_:to:clientMessageID:)``.
  @discardableResult
  public func send(_ text: String) async throws(MessageError) -> OwnSend {
    try await run.parts.outbox.write(text, to: group, run.values())
  }

  /// Sends a failed message again.
  ///
  /// - Throws: ``MessageError``, as ``Outbox/resend(_:in:)``.
  public func resend(_ send: OwnSend) async throws(MessageError) {
    _ = try await run.parts.outbox.resend(send.clientMessageID, in: group, run.values())
  }

  /// Gives an unsent message up.
  ///
  /// - Throws: ``MessageError``, as ``Outbox/discard(_:in:)``.
  public func discard(_ send: OwnSend) async throws(MessageError) {
    _ = try await run.parts.outbox.discard(send.clientMessageID, in: group, run.values())
  }

  /// Loads what comes before the oldest message, as the reader goes back.
  ///
  /// Several callers at once load one page. Cancelling a caller does not cancel the page.
  ///
  /// - Parameter limit: the most messages wanted, within ``HistoryQuery/limits``.
  /// - Returns: whether there is more before it.
  /// - Throws: ``MessageError``; nothing is retried.
  @discardableResult
  public func loadEarlier(
    limit: Int = HistoryQuery.defaultLimit
  ) async throws(MessageError) -> Bool {
    try await run.loadEarlier(limit: limit)
  }

  /// Tells the others that the user is writing; call it with each key, it is sent every 3 seconds.
  public func typing() async { await run.typing() }

  /// Tries now what is waited for: the network is back, the app comes to the front.
  public func retryNow() { run.retryNow() }

  /// Ends it, and returns when what is new is stored.
  public func close() async { await run.close() }
}

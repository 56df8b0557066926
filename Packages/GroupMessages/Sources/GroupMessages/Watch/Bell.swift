/// Ends one task's wait before its time.
final class Bell: Sendable {
  private let mailbox = Mailbox<Never>(capacity: 1)

  /// Ends the present wait, or else the next one.
  func ring() { mailbox.ring() }

  /// Waits until somebody rings, the time is over, or the task is cancelled.
  func wait(for delay: Duration, clock: any Clock<Duration>) async {
    await mailbox.wait(for: delay, clock: clock)
  }

  /// Waits until somebody rings, or the task is cancelled.
  func wait() async { await mailbox.wait() }
}

/// The time that commands measure and wait by: the machine's in the program, a test's in tests.
package struct CommandClock: Sendable {
  /// How long it is since some moment in the past; never goes back.
  package var now: @Sendable () -> Duration
  /// Waits so long, or until the task is cancelled.
  package var sleep: @Sendable (Duration) async -> Void

  /// A clock from its parts.
  package init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's own.
  package static var continuous: CommandClock {
    let start = ContinuousClock.now
    return CommandClock(
      now: { ContinuousClock.now - start },
      sleep: { try? await Task.sleep(for: $0, clock: .continuous) }
    )
  }
}

/// Time, for waiting between attempts to connect; a virtual one in tests.
public protocol GRPCClock: Sendable {
  /// Now, on a clock that goes on while the device sleeps.
  var now: ContinuousClock.Instant { get }

  /// How long the device has slept in all; only its growth matters.
  var timeAsleep: Duration { get }

  /// Suspends until `deadline`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until deadline: ContinuousClock.Instant) async throws
}

extension GRPCClock {
  /// What the clock that counts sleep is ahead of the one that does not.
  public var timeAsleep: Duration {
    // Neither clock tells when it began to run, so each is measured from one moment of the process.
    (ContinuousClock.now - ClockOrigin.continuous) - (SuspendingClock.now - ClockOrigin.suspending)
  }
}

private enum ClockOrigin {
  static let continuous = ContinuousClock.now
  static let suspending = SuspendingClock.now
}

/// The real time.
public struct SystemGRPCClock: GRPCClock {
  /// The real time.
  public init() {}

  /// Now.
  public var now: ContinuousClock.Instant { ContinuousClock.now }

  /// Suspends until `deadline`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: ContinuousClock.Instant) async throws {
    try await Task.sleep(until: deadline, clock: .continuous)
  }
}

/// Time, for waiting between attempts to connect; a virtual one in tests.
public protocol GRPCClock: Sendable {
  /// Now, on a clock that goes on while the device sleeps.
  var now: ContinuousClock.Instant { get }

  /// Suspends until `deadline`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until deadline: ContinuousClock.Instant) async throws
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

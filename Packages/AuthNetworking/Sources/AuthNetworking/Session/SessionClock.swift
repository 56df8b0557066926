#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The two clocks of a device, and a way to wait; a test hands in virtual ones.
public protocol SessionClock: Sendable {
  /// Time since an arbitrary origin. Counts sleep, never goes back, and is not set by anybody.
  func monotonic() -> Duration

  /// Seconds since 1970 as the device believes; may be wrong and may jump.
  func wall() -> Double

  /// Waits.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  func sleep(for duration: Duration) async throws
}

/// The clocks of this device.
public struct SystemClock: SessionClock {
  private static let origin = ContinuousClock.now

  /// The clocks of this device.
  public init() {}

  /// Time since the first use in this process, sleep included.
  public func monotonic() -> Duration { ContinuousClock.now - SystemClock.origin }

  /// Seconds since 1970.
  public func wall() -> Double { Date().timeIntervalSince1970 }

  /// Waits, sleep included.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}

extension SessionClock {
  var moment: Moment { Moment(monotonic: monotonic(), wall: wall()) }
}

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

  /// How long the device has been running, the same in each of its processes; nil where it does not
  /// say.
  ///
  /// With it, what the server's clock showed outlives a process though the device's is set (R11).
  func uptime() -> DeviceUptime?

  /// Waits.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  func sleep(for duration: Duration) async throws
}

extension SessionClock {
  /// Nil: the device does not say.
  public func uptime() -> DeviceUptime? { nil }
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

  /// The time since the kernel was started, on Linux and Android; elsewhere nil.
  public func uptime() -> DeviceUptime? { DeviceUptime.now() }

  /// Waits, sleep included.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}

extension SessionClock {
  var moment: Moment { Moment(monotonic: monotonic(), wall: wall(), uptime: uptime()) }
}

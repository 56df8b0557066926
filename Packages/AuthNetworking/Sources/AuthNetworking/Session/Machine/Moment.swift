/// When something happens, on both clocks of the device.
struct Moment: Hashable, Sendable {
  /// Time since an arbitrary origin; counts sleep, is never set.
  var monotonic: Duration
  /// The device's idea of the seconds since 1970, which may be wrong.
  var wall: Double
  /// How long the device has been running; nil where it does not say.
  var uptime: DeviceUptime?
}

/// What chance contributes to one event, so that the machine itself is deterministic.
struct Chance: Hashable, Sendable {
  /// A fresh UUID, for an attempt that is not a resend.
  var attemptID: String
  /// A fresh generation, for a sign-out.
  var generation: UInt64
  /// 0 up to 1, spreads the waits of several clients.
  var jitter: Double
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// A duration from seconds, moved into what a century holds, so that no arithmetic overflows.
  init(clampedSeconds seconds: Double) {
    let century = 3.2e9
    self = .seconds(seconds.isNaN ? 0 : min(max(seconds, -century), century))
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Times as people read them from a clock, in some time zone.
struct WallTime: Sendable {
  /// The year, month, day, hour, minute and second of a time in seconds since 1970.
  var parts: @Sendable (Double) -> [Int]

  /// The zone that the user is in, as `TZ` or the system says.
  static var local: WallTime {
    tzset()
    return WallTime { seconds in
      // Beyond what a calendar has, there is no time to show.
      var time = time_t(min(max(seconds, 0), 253_402_300_799))
      var broken = tm()
      guard localtime_r(&time, &broken) != nil else { return [0, 0, 0, 0, 0, 0] }
      return [
        Int(broken.tm_year) + 1900, Int(broken.tm_mon) + 1, Int(broken.tm_mday),
        Int(broken.tm_hour), Int(broken.tm_min), Int(broken.tm_sec),
      ]
    }
  }

  /// As `2026-11-30`.
  func day(_ seconds: Double) -> String {
    let parts = parts(seconds)
    return "\(parts[0])-\(two(parts[1]))-\(two(parts[2]))"
  }

  /// As `14:03`.
  func minute(_ seconds: Double) -> String {
    let parts = parts(seconds)
    return "\(two(parts[3])):\(two(parts[4]))"
  }

  /// As `14:03:07`.
  func second(_ seconds: Double) -> String { minute(seconds) + ":\(two(parts(seconds)[5]))" }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

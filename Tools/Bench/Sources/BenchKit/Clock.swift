import Foundation

/// Time, in nanoseconds.
package enum Clock {
  /// By a clock that nobody sets.
  package static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// What this process has used of the processors.
  package static func processorTime() -> UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

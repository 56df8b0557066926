#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

extension EventLoop {
  /// Holds the loop's thread up for a moment, so that what comes meanwhile is handled together.
  ///
  /// Only for handlers, which run on that thread; all that the loop watches waits as long.
  ///
  /// - Parameter duration: below a millisecond.
  public func pause(for duration: Duration) {
    let nanoseconds = duration.components.attoseconds / 1_000_000_000
    var time = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 1_000_000)))
    nanosleep(&time, nil)
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Android)
internal import Android
#else
internal import Glibc
#endif
internal import Synchronization

/// The backend's idea of the time of day.
public struct BackendClock: Sendable {
  /// The time now, in milliseconds since 1970.
  public let now: @Sendable () -> Int64

  /// A clock that reads the time as given, in milliseconds since 1970, from any thread.
  public init(millisecondsSince1970 now: @escaping @Sendable () -> Int64) { self.now = now }

  /// The machine's clock.
  public static let system = BackendClock {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// The configured clock, moved by what tests moved it.
final class ServerTime: Sendable {
  private let clock: BackendClock
  private let offset = Atomic<Int64>(0)
  private let skewed = Atomic<Int64>(0)

  init(_ clock: BackendClock) { self.clock = clock }

  /// In milliseconds since 1970.
  var now: Int64 { clock.now() + offset.load(ordering: .relaxed) + skew }

  /// By how much a fault has moved it, in milliseconds; 0 while none has.
  ///
  /// It is apart from ``advance(by:)``, so that a fault can end.
  var skew: Int64 { skewed.load(ordering: .relaxed) }

  func advance(by milliseconds: Int64) { offset.add(milliseconds, ordering: .relaxed) }

  /// Moves it by so many milliseconds, in place of what a fault moved it by before.
  func setSkew(_ milliseconds: Int64) { skewed.store(milliseconds, ordering: .relaxed) }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

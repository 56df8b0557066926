#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// How long a device has been running, and since which start.
public struct DeviceUptime: Hashable, Sendable {
  /// Names the start; another one after each.
  public var start: String
  /// The seconds since then.
  ///
  /// Counts sleep, and is not set by anybody.
  public var seconds: Double

  /// A time from its parts.
  public init(start: String, seconds: Double) {
    self.start = start
    self.seconds = seconds
  }
}

extension DeviceUptime {
  #if os(Linux) || os(Android)
  /// What the kernel calls its start; nil where it does not say.
  private static let bootID: String? = {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { return nil }
    let id = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    return id.isEmpty ? nil : id
  }()

  static func now() -> DeviceUptime? {
    var time = timespec()
    guard let bootID, clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
    return DeviceUptime(start: bootID, seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
  #else
  static func now() -> DeviceUptime? { nil }
  #endif
}

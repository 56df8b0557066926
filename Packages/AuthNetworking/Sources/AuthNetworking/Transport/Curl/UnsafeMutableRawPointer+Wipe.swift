#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension UnsafeMutableRawPointer {
  /// Overwrites what held a secret, in a way that the optimiser may not drop where the system has
  /// one.
  func wipe(_ count: Int) {
    #if canImport(Darwin)
    _ = memset_s(self, count, 0, count)
    #elseif canImport(Glibc) || canImport(Musl)
    explicit_bzero(self, count)
    #else
    for offset in 0..<count { storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
    #endif
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// What the system's error numbers mean.
enum SystemError {
  /// A number in words.
  static func text(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

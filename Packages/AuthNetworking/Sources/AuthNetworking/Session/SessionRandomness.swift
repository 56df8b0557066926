#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Where ids, generations and jitter come from; a test hands in a seeded generator.
public struct SessionRandomness: Sendable {
  /// Four times 64 bits, of which a caller may want only the first ones.
  private typealias Draws = (UInt64, UInt64, UInt64, UInt64)

  private let draw: @Sendable () -> UInt64
  /// Whether the system is asked for all bits at once instead, which is one call of it for four.
  private let isSystem: Bool

  /// The system's generator, which is fit for secrets.
  public static let system = SessionRandomness(isSystem: true) {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Draws from a function that gives 64 random bits at each call.
  public init(_ draw: @escaping @Sendable () -> UInt64) { self.init(isSystem: false, draw) }

  private init(isSystem: Bool, _ draw: @escaping @Sendable () -> UInt64) {
    self.isSystem = isSystem
    self.draw = draw
  }

  private func draws(_ count: Int) -> Draws {
    var draws: Draws = (0, 0, 0, 0)
    #if canImport(Glibc) || canImport(Musl)
    if isSystem {
      let isFilled = withUnsafeMutableBytes(of: &draws) { bytes in
        bytes.baseAddress.map { getentropy($0, count * MemoryLayout<UInt64>.size) == 0 } ?? false
      }
      if isFilled { return draws }
    }
    #endif
    withUnsafeMutableBytes(of: &draws) { bytes in
      let words = bytes.assumingMemoryBound(to: UInt64.self)
      for index in 0..<count { words[index] = draw() }
    }
    return draws
  }

  /// A random UUID (RFC 9562, version 4) in lower case.
  func uuid() -> String {
    let (first, second, _, _) = draws(2)
    return SessionRandomness.uuid(first, second)
  }

  private static func uuid(_ first: UInt64, _ second: UInt64) -> String {
    let high = first & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return String(unsafeUninitializedCapacity: 36) { text in
      var position = 0
      for index in 0..<32 {
        switch index {
        case 8, 12, 16, 20:
          text[position] = UInt8(ascii: "-")
          position += 1
        default: break
        }
        let digit = UInt8((index < 16 ? high : low) >> UInt64(60 - index % 16 * 4) & 0xF)
        text[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        position += 1
      }
      return position
    }
  }

  /// A generation: never 0, which is the one of an empty store.
  func generation() -> UInt64 { max(1, draw()) }

  var chance: Chance {
    let (first, second, third, fourth) = draws(4)
    return Chance(
      attemptID: SessionRandomness.uuid(first, second),
      generation: max(1, third),
      jitter: Double(fourth >> 11) / Double(1 << 53)
    )
  }
}

/// Where ids, generations and jitter come from; a test hands in a seeded generator.
public struct SessionRandomness: Sendable {
  private let draw: @Sendable () -> UInt64

  /// The system's generator, which is fit for secrets.
  public static let system = SessionRandomness {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// Draws from a function that gives 64 random bits at each call.
  public init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

  /// A random UUID (RFC 9562, version 4) in lower case.
  func uuid() -> String {
    let high = draw() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = draw() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = Array((SessionRandomness.hex(high) + SessionRandomness.hex(low)).utf8)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
  }

  /// A generation: never 0, which is the one of an empty store.
  func generation() -> UInt64 { max(1, draw()) }

  var chance: Chance {
    Chance(
      attemptID: uuid(),
      generation: generation(),
      jitter: Double(draw() >> 11) / Double(1 << 53)
    )
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

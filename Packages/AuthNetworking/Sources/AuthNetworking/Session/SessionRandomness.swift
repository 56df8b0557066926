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
    Chance(
      attemptID: uuid(),
      generation: generation(),
      jitter: Double(draw() >> 11) / Double(1 << 53)
    )
  }
}

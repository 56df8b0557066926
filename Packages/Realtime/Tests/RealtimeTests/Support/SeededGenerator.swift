#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Chance that can be repeated (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  /// The seed of a fuzzing test: `REALTIME_FUZZ_SEED`, else the same every time.
  static var seed: UInt64 {
    getenv("REALTIME_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_260_101
  }

  private var state: UInt64

  init(seed: UInt64 = SeededGenerator.seed) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Bytes of any value.
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// The same bytes with a few small faults: flipped bits, bytes changed, left out, doubled, moved.
  mutating func mutated(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &self)
      switch Int.random(in: 0..<7, using: &self) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
      case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][Int.random(in: 0..<5, using: &self)]
      case 3: bytes.remove(at: place)
      case 4: bytes.insert(UInt8.random(in: 0...255, using: &self), at: place)
      case 5: bytes.removeLast(bytes.count - place)
      default:
        let end = min(bytes.count, place + Int.random(in: 1...16, using: &self))
        bytes.insert(
          contentsOf: bytes[place..<end],
          at: Int.random(in: 0...bytes.count, using: &self)
        )
      }
    }
    return bytes
  }
}

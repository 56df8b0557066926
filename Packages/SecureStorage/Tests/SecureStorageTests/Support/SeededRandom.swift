import SecureStorage
import Synchronization

/// The same numbers each time (SplitMix64): for vectors, and for damage that can be repeated.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension RandomSource {
  /// The bytes from `first` on, one after the other: never outside tests.
  static func counting(from first: UInt8 = 0) -> RandomSource {
    let counter = Counter(first)
    return RandomSource { memory in
      counter.next.withLock { next in
        for index in memory.indices {
          memory[index] = next
          next &+= 1
        }
      }
    }
  }

  private final class Counter: Sendable {
    let next: Mutex<UInt8>

    init(_ first: UInt8) { next = Mutex(first) }
  }
}

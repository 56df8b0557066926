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
  /// 0, 1, 2, … 255, 0, …: never outside tests.
  static func counting() -> RandomSource {
    let next = Atomic<UInt8>(0)
    let counter = Counter(next)
    return RandomSource { memory in
      for index in memory.indices {
        memory[index] = counter.value.wrappingAdd(1, ordering: .relaxed).oldValue
      }
    }
  }

  private final class Counter: Sendable {
    let value: Atomic<UInt8>
    init(_ value: consuming Atomic<UInt8>) { self.value = value }
  }
}

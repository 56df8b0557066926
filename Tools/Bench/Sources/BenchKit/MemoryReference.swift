import Foundation

/// What the memory needs.
package enum MemoryReference {
  /// The nanoseconds of one copy, from a cache.
  package static func copy(_ bytes: Int) -> Double {
    let source = [UInt8](repeating: 0x5A, count: bytes)
    var target = [UInt8](repeating: 0, count: bytes)
    let samples = Samples.timing(2_000, batch: 256) { index in
      target.withUnsafeMutableBytes { target in
        source.withUnsafeBytes { target.copyMemory(from: $0) }
        // Read, so that the optimiser keeps the copy.
        target[0] = target[bytes - 1] &+ UInt8(truncatingIfNeeded: index)
      }
    }
    return samples.percentile(50)
  }
}

#if TPM2 && os(Linux)
/// A counter in a TPM's lasting memory.
struct TPM2Counter: Equatable, Sendable {
  static let tagLength = 32
  /// The length of the value that allows counting and reading.
  static let authorizationLength = 32

  /// Which index, of those that TCG leaves to the owner's programs.
  let handle: UInt32
  /// What tells it from an index that took its place.
  ///
  /// The TPM keeps it as a policy that nothing can meet.
  let tag: [UInt8]

  private static let first: UInt32 = 0x0180_0000
  private static let count: UInt32 = 0x0040_0000

  /// A counter at a random handle: programs that know nothing of each other seldom meet.
  static func random(tag: [UInt8], from source: RandomSource) -> TPM2Counter {
    let number = source.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return TPM2Counter(handle: first + number % count, tag: tag)
  }
}
#endif

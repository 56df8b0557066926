internal import CSodium

/// The few calls of libsodium that are not about sealing.
enum Sodium {
  /// Whether the library started; asked once, before the first key is made or read.
  static let isReady = sodium_init() >= 0

  /// Overwrites bytes in a way that the optimiser may not drop.
  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { wipe($0) }
  }

  /// Overwrites memory in a way that the optimiser may not drop.
  static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    sodium_memzero(start, memory.count)
  }

  /// BLAKE2b of the bytes (RFC 7693), keyed where a key is given; 16 to 64 bytes long.
  static func hash(
    _ bytes: [UInt8],
    length: Int,
    key: UnsafeRawBufferPointer? = nil
  ) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: length)
    // Its only failures are lengths outside its bounds, and every caller's are constants.
    _ = crypto_generichash(
      &digest,
      length,
      bytes,
      UInt64(bytes.count),
      key?.bindMemory(to: UInt8.self).baseAddress,
      key?.count ?? 0
    )
    return digest
  }
}

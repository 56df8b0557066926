internal import CSodium

/// What Argon2id (RFC 9106) spends on one passphrase.
///
/// Stored with what it protects.
public struct KeyDerivationCost: Equatable, Sendable {
  /// The number of passes over the memory, 1 to 16.
  public let passes: UInt64
  /// The memory in bytes, 8 KiB to 1 GiB.
  public let memory: Int

  /// A cost from its parts, moved into the bounds.
  public init(passes: UInt64, memory: Int) {
    self.passes = min(max(passes, 1), 16)
    self.memory = min(max(memory, 8 * 1024), 1 << 30)
  }

  /// Two passes over 64 MiB, for somebody who waits: libsodium's "interactive".
  public static let interactive = KeyDerivationCost(passes: 2, memory: 64 * 1024 * 1024)

  /// The key of a passphrase; nil where the memory cannot be had.
  func key(of passphrase: UnsafeRawBufferPointer, salt: [UInt8]) -> LockedMemory? {
    var isDerived = false
    let key = LockedMemory(count: RootKey.length) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress,
        let secret = passphrase.bindMemory(to: CChar.self).baseAddress,
        salt.count == Int(crypto_pwhash_argon2id_SALTBYTES)
      else { return }
      isDerived =
        crypto_pwhash_argon2id(
          start,
          UInt64(output.count),
          secret,
          UInt64(passphrase.count),
          salt,
          passes,
          memory,
          crypto_pwhash_argon2id_ALG_ARGON2ID13
        ) == 0
    }
    return isDerived ? key : nil
  }
}

internal import CSodium

/// AES-256-GCM (NIST SP 800-38D), by libsodium: faster than the default, on processors that have
/// instructions for it.
///
/// Its nonces have 96 bits and are random here, so a key may seal 2^32 times at most; a store
/// takes a fresh one in time.
public struct AES256GCM: Cipher {
  private static let sodium = SodiumAEAD(
    keyLength: Int(crypto_aead_aes256gcm_KEYBYTES),
    nonceLength: Int(crypto_aead_aes256gcm_NPUBBYTES),
    tagLength: Int(crypto_aead_aes256gcm_ABYTES),
    encrypt: { crypto_aead_aes256gcm_encrypt($0, $1, $2, $3, $4, $5, $6, $7, $8) },
    decrypt: { crypto_aead_aes256gcm_decrypt($0, $1, $2, $3, $4, $5, $6, $7, $8) }
  )

  /// Whether this processor has the instructions.
  ///
  /// Without them AES in software would tell its key by its timing, so there is none.
  public static let isAvailable =
    Sodium.isReady && crypto_aead_aes256gcm_is_available() != 0

  /// The only value there is; nil where the processor lacks AES.
  public init?() {
    guard AES256GCM.isAvailable else { return nil }
  }

  /// `aes-256-gcm`.
  public var name: CipherName { .aes256GCM }
  /// 32 bytes.
  public var keyLength: Int { AES256GCM.sodium.keyLength }
  /// 12 bytes.
  public var nonceLength: Int { AES256GCM.sodium.nonceLength }
  /// 16 bytes.
  public var tagLength: Int { AES256GCM.sodium.tagLength }
  /// 2^32 (SP 800-38D, 8.3): two nonces are the same once in 2^33 such stores.
  public var sealLimit: UInt64 { 1 << 32 }

  /// Writes ciphertext and tag.
  public func seal(
    _ plaintext: UnsafeRawBufferPointer,
    into sealed: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  ) {
    AES256GCM.sodium.seal(
      plaintext,
      into: sealed,
      key: key,
      nonce: nonce,
      associatedData: associatedData
    )
  }

  /// Writes the plaintext; says no where anything at all differs from what was sealed.
  public func open(
    _ sealed: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  ) -> Bool {
    AES256GCM.sodium.open(
      sealed,
      into: plaintext,
      key: key,
      nonce: nonce,
      associatedData: associatedData
    )
  }
}

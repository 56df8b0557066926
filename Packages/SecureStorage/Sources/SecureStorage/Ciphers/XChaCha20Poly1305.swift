internal import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), by libsodium: the default cipher.
///
/// Its nonces are long enough to be random without a counter, and it is fast on every processor.
public struct XChaCha20Poly1305: Cipher {
  private static let sodium = SodiumAEAD(
    keyLength: Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES),
    nonceLength: Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES),
    tagLength: Int(crypto_aead_xchacha20poly1305_ietf_ABYTES),
    encrypt: { crypto_aead_xchacha20poly1305_ietf_encrypt($0, $1, $2, $3, $4, $5, $6, $7, $8) },
    decrypt: { crypto_aead_xchacha20poly1305_ietf_decrypt($0, $1, $2, $3, $4, $5, $6, $7, $8) }
  )

  /// The only value there is.
  public init() {}

  /// `xchacha20-poly1305`.
  public var name: CipherName { .xchacha20Poly1305 }
  /// 32 bytes.
  public var keyLength: Int { XChaCha20Poly1305.sodium.keyLength }
  /// 24 bytes.
  public var nonceLength: Int { XChaCha20Poly1305.sodium.nonceLength }
  /// 16 bytes.
  public var tagLength: Int { XChaCha20Poly1305.sodium.tagLength }
  /// As often as can be counted: two of 2^64 nonces are the same once in 2^65 such stores.
  public var sealLimit: UInt64 { .max }

  /// Writes ciphertext and tag.
  public func seal(
    _ plaintext: UnsafeRawBufferPointer,
    into sealed: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  ) {
    XChaCha20Poly1305.sodium.seal(
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
    XChaCha20Poly1305.sodium.open(
      sealed,
      into: plaintext,
      key: key,
      nonce: nonce,
      associatedData: associatedData
    )
  }
}

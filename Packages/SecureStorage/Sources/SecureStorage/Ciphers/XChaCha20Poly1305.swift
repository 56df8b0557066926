internal import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), by libsodium: the default cipher.
///
/// Its nonces are long enough to be random without a counter, and it is fast on every processor.
public struct XChaCha20Poly1305: Cipher {
  /// The only value there is.
  public init() {}

  /// `xchacha20-poly1305`.
  public var name: CipherName { .xchacha20Poly1305 }
  /// 32 bytes.
  public var keyLength: Int { Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES) }
  /// 24 bytes.
  public var nonceLength: Int { Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES) }
  /// 16 bytes.
  public var tagLength: Int { Int(crypto_aead_xchacha20poly1305_ietf_ABYTES) }
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
    precondition(
      key.count == keyLength && nonce.count == nonceLength
        && sealed.count == plaintext.count + tagLength
    )
    guard let output = sealed.bytes, let key = key.bytes, let nonce = nonce.bytes else {
      preconditionFailure("none of them is empty, as checked above")
    }
    _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
      output,
      nil,
      plaintext.bytes,
      UInt64(plaintext.count),
      associatedData.bytes,
      UInt64(associatedData.count),
      nil,
      nonce,
      key
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
    guard sealed.count >= tagLength, plaintext.count == sealed.count - tagLength,
      nonce.count == nonceLength, key.count == keyLength,
      let input = sealed.bytes, let key = key.bytes, let nonce = nonce.bytes
    else { return false }
    return crypto_aead_xchacha20poly1305_ietf_decrypt(
      plaintext.bytes,
      nil,
      nil,
      input,
      UInt64(sealed.count),
      associatedData.bytes,
      UInt64(associatedData.count),
      nonce,
      key
    ) == 0
  }
}

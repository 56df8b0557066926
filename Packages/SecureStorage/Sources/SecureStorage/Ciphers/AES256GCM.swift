internal import CSodium

/// AES-256-GCM (NIST SP 800-38D), by libsodium: faster than the default, on processors that have
/// instructions for it.
///
/// Its nonces have 96 bits and are random here, so a key may seal 2^32 times at most; a store
/// takes a fresh one in time.
public struct AES256GCM: Cipher {
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
  public var keyLength: Int { Int(crypto_aead_aes256gcm_KEYBYTES) }
  /// 12 bytes.
  public var nonceLength: Int { Int(crypto_aead_aes256gcm_NPUBBYTES) }
  /// 16 bytes.
  public var tagLength: Int { Int(crypto_aead_aes256gcm_ABYTES) }
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
    precondition(
      key.count == keyLength && nonce.count == nonceLength
        && sealed.count == plaintext.count + tagLength
    )
    guard let output = sealed.bytes, let key = key.bytes, let nonce = nonce.bytes else {
      preconditionFailure("none of them is empty, as checked above")
    }
    _ = crypto_aead_aes256gcm_encrypt(
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
    return crypto_aead_aes256gcm_decrypt(
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

internal import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), by libsodium: the default cipher.
///
/// Its nonces are long enough to be random without a counter, and it is fast on every processor.
public struct XChaCha20Poly1305: Cipher {
  /// The only value there is.
  public init() {}

  /// `xchacha20-poly1305`.
  public var name: CipherName { CipherName(rawValue: "xchacha20-poly1305") }
  /// 32 bytes.
  public var keyLength: Int { Int(crypto_aead_xchacha20poly1305_ietf_KEYBYTES) }
  /// 24 bytes.
  public var nonceLength: Int { Int(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES) }
  /// 16 bytes.
  public var tagLength: Int { Int(crypto_aead_xchacha20poly1305_ietf_ABYTES) }

  /// Ciphertext followed by its tag.
  public func seal(
    _ plaintext: [UInt8],
    key: UnsafeRawBufferPointer,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) -> [UInt8] {
    precondition(key.count == keyLength && nonce.count == nonceLength)
    return [UInt8](unsafeUninitializedCapacity: plaintext.count + tagLength) { buffer, count in
      guard let output = buffer.baseAddress,
        let key = key.bindMemory(to: UInt8.self).baseAddress
      else { preconditionFailure("neither is empty, as checked above") }
      _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
        output,
        nil,
        plaintext,
        UInt64(plaintext.count),
        associatedData,
        UInt64(associatedData.count),
        nil,
        nonce,
        key
      )
      count = plaintext.count + tagLength
    }
  }

  /// The plaintext, or nil where anything at all differs from what was sealed.
  public func open(
    _ sealed: ArraySlice<UInt8>,
    key: UnsafeRawBufferPointer,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) -> [UInt8]? {
    guard sealed.count >= tagLength, nonce.count == nonceLength, key.count == keyLength else {
      return nil
    }
    var isAuthentic = false
    let plaintext = sealed.withUnsafeBufferPointer { source in
      [UInt8](unsafeUninitializedCapacity: max(1, source.count - tagLength)) { buffer, count in
        guard let output = buffer.baseAddress, let input = source.baseAddress,
          let key = key.bindMemory(to: UInt8.self).baseAddress
        else { return }
        isAuthentic =
          crypto_aead_xchacha20poly1305_ietf_decrypt(
            output,
            nil,
            nil,
            input,
            UInt64(source.count),
            associatedData,
            UInt64(associatedData.count),
            nonce,
            key
          ) == 0
        count = isAuthentic ? source.count - tagLength : 0
      }
    }
    return isAuthentic ? plaintext : nil
  }
}

import BenchKit
internal import CSodium

/// What the cipher alone needs.
struct CipherReference {
  private let isAES: Bool

  init(_ cipher: String?) { isAES = cipher == "aes-256-gcm" }

  /// The nanoseconds of opening so many bytes.
  func opening(_ bytes: Int) -> Reference {
    let (sealed, key, nonce) = sealed(bytes)
    var plaintext = [UInt8](repeating: 0, count: bytes)
    let samples = Samples.timing(2_000, batch: 32) { _ in open(sealed, key, nonce, &plaintext) }
    return Reference("the cipher alone", samples.percentile(50))
  }

  /// How many values of so many bytes one thread opens and seals in a second.
  func resealing(_ bytes: Int) -> Reference {
    let (sealed, key, nonce) = sealed(bytes)
    var (plaintext, again) = ([UInt8](repeating: 0, count: bytes), sealed)
    let samples = Samples.timing(2_000, batch: 32) { _ in
      open(sealed, key, nonce, &plaintext)
      seal(plaintext, key, nonce, &again)
    }
    return Reference("the cipher alone, opening and sealing", 1e9 / samples.percentile(50))
  }

  private func sealed(_ bytes: Int) -> (sealed: [UInt8], key: [UInt8], nonce: [UInt8]) {
    precondition(sodium_init() >= 0)
    let (key, nonce) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 24))
    var sealed = [UInt8](repeating: 0, count: bytes + 16)
    seal([UInt8](repeating: 3, count: bytes), key, nonce, &sealed)
    return (sealed, key, nonce)
  }

  private func seal(
    _ plaintext: [UInt8],
    _ key: [UInt8],
    _ nonce: [UInt8],
    _ sealed: inout [UInt8]
  ) {
    let count = UInt64(plaintext.count)
    if isAES {
      _ = crypto_aead_aes256gcm_encrypt(&sealed, nil, plaintext, count, nil, 0, nil, nonce, key)
    } else {
      _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
        &sealed,
        nil,
        plaintext,
        count,
        nil,
        0,
        nil,
        nonce,
        key
      )
    }
  }

  private func open(
    _ sealed: [UInt8],
    _ key: [UInt8],
    _ nonce: [UInt8],
    _ plaintext: inout [UInt8]
  ) {
    let count = UInt64(sealed.count)
    let status =
      isAES
      ? crypto_aead_aes256gcm_decrypt(&plaintext, nil, nil, sealed, count, nil, 0, nonce, key)
      : crypto_aead_xchacha20poly1305_ietf_decrypt(
        &plaintext,
        nil,
        nil,
        sealed,
        count,
        nil,
        0,
        nonce,
        key
      )
    precondition(status == 0)
  }
}

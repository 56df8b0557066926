import Testing

@testable import SecureStorage

/// What a standard says that a cipher makes of some bytes.
struct CipherVector: Sendable, CustomTestStringConvertible {
  let source: String
  let name: CipherName
  let key: [UInt8]
  let nonce: [UInt8]
  let data: [UInt8]
  var plaintext: [UInt8]
  /// Ciphertext and tag.
  var sealed: [UInt8]

  var testDescription: String { source }

  static let published: [CipherVector] = [
    CipherVector(
      source: "draft-irtf-cfrg-xchacha-03, A.3.1",
      name: .xchacha20Poly1305,
      key: (0x80...0x9F as ClosedRange<UInt8>).bytes,
      nonce: (0x40...0x57 as ClosedRange<UInt8>).bytes,
      data: hex("50515253c0c1c2c3c4c5c6c7"),
      plaintext: Array(
        """
        Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the \
        future, sunscreen would be it.
        """.utf8
      ),
      sealed: hex(
        """
        bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f
        4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f
        76b2383565d3fff921f9664c97637da9768812f615c68b13b52e c0875924c1c7987947deafd8780acf49
        """
      )
    ),
    CipherVector(
      source: "The Galois/Counter Mode of Operation, test case 16",
      name: .aes256GCM,
      key: hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
      nonce: hex("cafebabefacedbaddecaf888"),
      data: hex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
      plaintext: hex(
        """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e24
        49a6b525b16aedf5aa0de657ba637b39
        """
      ),
      sealed: hex(
        """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b10
        56828838c5f61e6393ba7a0abcc9f662 76fc6ece0f4e1768cddf8853bb2d551b
        """
      )
    ),
    CipherVector(
      source: "The Galois/Counter Mode of Operation, test case 14",
      name: .aes256GCM,
      key: [UInt8](repeating: 0, count: 32),
      nonce: [UInt8](repeating: 0, count: 12),
      data: [],
      plaintext: [UInt8](repeating: 0, count: 16),
      sealed: hex("cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919")
    ),
    CipherVector(
      source: "The Galois/Counter Mode of Operation, test case 13",
      name: .aes256GCM,
      key: [UInt8](repeating: 0, count: 32),
      nonce: [UInt8](repeating: 0, count: 12),
      data: [],
      plaintext: [],
      sealed: hex("530f8afbc74536b9a963b4f1c4cb738b")
    ),
  ]

  func seal() throws -> [UInt8] {
    let cipher = try cipher()
    return key.withUnsafeBytes {
      cipher.seal(plaintext, key: $0, nonce: nonce, associatedData: data)
    }
  }

  /// Opens bytes with the vector's parts, or with those that are given.
  func open(
    _ sealed: ArraySlice<UInt8>,
    key otherKey: [UInt8]? = nil,
    nonce otherNonce: [UInt8]? = nil,
    data otherData: [UInt8]? = nil
  ) throws -> [UInt8]? {
    let cipher = try cipher()
    return (otherKey ?? key).withUnsafeBytes {
      cipher.open(
        sealed,
        key: $0,
        nonce: otherNonce ?? nonce,
        associatedData: otherData ?? data
      )
    }
  }

  private func cipher() throws -> any Cipher {
    switch name {
    case .aes256GCM: try #require(AES256GCM(), "this processor has no AES")
    default: XChaCha20Poly1305()
    }
  }
}

extension [UInt8] {
  /// The bytes with one bit another way round.
  func flipping(_ bit: Int) -> [UInt8] {
    var bytes = self
    bytes[bit / 8] ^= 1 << (bit % 8)
    return bytes
  }
}

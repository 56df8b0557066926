/// Seals and opens bytes with associated data (AEAD, RFC 5116).
///
/// A cipher holds no key and no state, and draws no random numbers: all of it comes in.
public protocol Cipher: Sendable {
  /// The name that is written into a store's keyset.
  var name: CipherName { get }
  /// The length of a key in bytes.
  var keyLength: Int { get }
  /// The length of a nonce in bytes.
  var nonceLength: Int { get }
  /// The length of the tag in bytes.
  var tagLength: Int { get }
  /// How often a key may seal, where its nonces are random.
  var sealLimit: UInt64 { get }

  /// Writes ciphertext and tag.
  ///
  /// - Parameters:
  ///   - plaintext: What to seal.
  ///   - sealed: Room for as many bytes as the plaintext has, and the tag.
  ///   - key: ``keyLength`` bytes.
  ///   - nonce: ``nonceLength`` bytes, never used before with this key.
  ///   - associatedData: What is authenticated with it.
  func seal(
    _ plaintext: UnsafeRawBufferPointer,
    into sealed: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  )

  /// Writes the plaintext; says no where anything at all differs from what was sealed.
  ///
  /// - Parameters:
  ///   - sealed: Ciphertext followed by its tag.
  ///   - plaintext: Room for as many bytes as `sealed` has, without the tag. The caller wipes it.
  ///   - key: ``keyLength`` bytes.
  ///   - nonce: ``nonceLength`` bytes.
  ///   - associatedData: What was authenticated with it.
  /// - Returns: Whether it is authentic; nothing may be read from `plaintext` otherwise.
  func open(
    _ sealed: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer,
    key: UnsafeRawBufferPointer,
    nonce: UnsafeRawBufferPointer,
    associatedData: UnsafeRawBufferPointer
  ) -> Bool
}

extension Cipher {
  /// Ciphertext followed by its tag, as an array.
  ///
  /// - Parameters:
  ///   - plaintext: What to seal.
  ///   - key: ``keyLength`` bytes.
  ///   - nonce: ``nonceLength`` bytes, never used before with this key.
  ///   - associatedData: What is authenticated with it.
  /// - Returns: As many bytes as the plaintext has, and the tag.
  func seal(
    _ plaintext: [UInt8],
    key: UnsafeRawBufferPointer,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) -> [UInt8] {
    let length = plaintext.count + tagLength
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      plaintext.withUnsafeBytes { plaintext in
        nonce.withUnsafeBytes { nonce in
          associatedData.withUnsafeBytes { data in
            seal(
              plaintext,
              into: UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length]
              ),
              key: key,
              nonce: nonce,
              associatedData: data
            )
          }
        }
      }
      count = length
    }
  }

  /// The plaintext as an array, or nil where anything at all differs from what was sealed.
  ///
  /// - Parameters:
  ///   - sealed: Ciphertext followed by its tag.
  ///   - key: ``keyLength`` bytes.
  ///   - nonce: ``nonceLength`` bytes.
  ///   - associatedData: What was authenticated with it.
  /// - Returns: The plaintext, which the caller wipes.
  func open(
    _ sealed: ArraySlice<UInt8>,
    key: UnsafeRawBufferPointer,
    nonce: [UInt8],
    associatedData: [UInt8]
  ) -> [UInt8]? {
    let length = sealed.count - tagLength
    guard length >= 0 else { return nil }
    var isAuthentic = false
    let plaintext = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      sealed.withUnsafeBytes { sealed in
        nonce.withUnsafeBytes { nonce in
          associatedData.withUnsafeBytes { data in
            isAuthentic = open(
              sealed,
              into: UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length]
              ),
              key: key,
              nonce: nonce,
              associatedData: data
            )
          }
        }
      }
      count = isAuthentic ? length : 0
    }
    return isAuthentic ? plaintext : nil
  }
}

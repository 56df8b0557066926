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

  /// Ciphertext followed by its tag.
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
  ) -> [UInt8]

  /// The plaintext, or nil where anything at all differs from what was sealed.
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
  ) -> [UInt8]?
}

/// The name of a cipher, as a store's keyset holds it.
///
/// A name that this build lacks is kept.
public struct CipherName: RawRepresentable, Hashable, Sendable {
  /// The name, as `store info` prints it.
  public let rawValue: String

  /// A cipher by name.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension CipherName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

/// The name of a cipher, as a store's keyset holds it.
///
/// A name that this build lacks is kept.
public struct CipherName: RawRepresentable, Hashable, Sendable {
  /// The default: ``XChaCha20Poly1305``.
  public static let xchacha20Poly1305 = CipherName(rawValue: "xchacha20-poly1305")
  /// ``AES256GCM``, where the processor has it.
  public static let aes256GCM = CipherName(rawValue: "aes-256-gcm")
  /// The ciphers of this build, the default first.
  public static let known: [CipherName] = [.xchacha20Poly1305, .aes256GCM]

  /// The name, as `store info` prints it.
  public let rawValue: String

  /// A cipher by name.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension CipherName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}

internal import CSodium
public import SessionModels

/// A one-way mark of a secret (BLAKE2b-256), to tell whether two are the same without keeping
/// either.
///
/// Fit for tokens of high entropy; not for passwords.
public struct SecretFingerprint: Hashable, Sendable, Codable {
  /// The mark in hexadecimal, 64 digits.
  public let hex: String

  /// The mark of a secret.
  public init(of secret: Secret) {
    var digest = [UInt8](repeating: 0, count: 32)
    secret.withBytes { bytes in
      _ = crypto_generichash(
        &digest,
        digest.count,
        bytes.bindMemory(to: UInt8.self).baseAddress,
        UInt64(bytes.count),
        nil,
        0
      )
    }
    hex = digest.map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }.joined()
  }
}

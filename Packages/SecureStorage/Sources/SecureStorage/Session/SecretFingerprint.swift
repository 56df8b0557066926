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
    hex = String(unsafeUninitializedCapacity: 2 * digest.count) { buffer in
      let digits = Array("0123456789abcdef".utf8)
      for (index, byte) in digest.enumerated() {
        buffer[2 * index] = digits[Int(byte >> 4)]
        buffer[2 * index + 1] = digits[Int(byte & 15)]
      }
      return buffer.count
    }
  }
}

#if canImport(Darwin)
internal import CommonCrypto
internal import Foundation
internal import Security

/// Whom a ``URLSessionTransport`` trusts: chain, host name and dates first, then the pins.
///
/// `@unchecked` holds because certificates are immutable Core Foundation objects, which any
/// thread may read, and all else is `Sendable`.
struct ServerTrust: @unchecked Sendable {
  /// The roots to trust instead of the system's; nil for the system's.
  let roots: [SecCertificate]?
  let pinning: PinPolicy
  let now: @Sendable () -> Date
  let onPinMismatch: @Sendable (PinReport) -> Void

  /// The certificates of a PEM file.
  static func roots(ofFile file: String) throws(TransportError) -> [SecCertificate] {
    let text = FileManager.default.contents(atPath: file).map {
      String(decoding: $0, as: UTF8.self)
    }
    let blocks = (text ?? "").components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
    let certificates = blocks.compactMap { block -> SecCertificate? in
      let base64 = block.components(separatedBy: "-----END CERTIFICATE-----")[0]
      guard let der = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else {
        return nil
      }
      return SecCertificateCreateWithData(nil, der as CFData)
    }
    guard !certificates.isEmpty else {
      throw TransportError(.tls, "The CA file \(file) holds no certificate")
    }
    return certificates
  }

  /// What is wrong with the server's certificate, or nil where it is trusted.
  ///
  /// URLSession has put the policy for the host name into the trust object already.
  func problem(with trust: SecTrust, host: String) -> TransportError.Code? {
    if let roots {
      guard SecTrustSetAnchorCertificates(trust, roots as CFArray) == errSecSuccess,
        SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
      else { return .tls }
    }
    guard SecTrustEvaluateWithError(trust, nil) else { return .tls }
    if pinning.pins.isEmpty { return nil }
    guard let key = ServerTrust.key(of: trust) else { return .tls }
    let now = now()
    let verdict = pinning.verdict(on: key, at: now)
    guard verdict != .accepted else { return nil }
    onPinMismatch(
      PinReport(
        host: host,
        key: key,
        pinned: pinning.keys(at: now),
        isEnforced: verdict == .refused
      )
    )
    return verdict == .refused ? .pinMismatch : nil
  }

  private static func key(of trust: SecTrust) -> SPKIPin? {
    guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
      let leaf = chain.first,
      let key = SubjectPublicKeyInfo.bytes(
        ofCertificate: Array(SecCertificateCopyData(leaf) as Data)
      )
    else { return nil }
    var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
    CC_SHA256(key, CC_LONG(key.count), &digest)
    return SPKIPin(digest: digest)
  }

  /// A problem in words.
  static func message(_ code: TransportError.Code) -> String {
    code == .pinMismatch
      ? "the server's key is none of the pinned ones" : "the server's certificate is not trusted"
  }
}
#endif

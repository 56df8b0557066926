#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The claims of a JWT's payload that a client reads, each nil where absent or of no use.
struct JWTClaims: Decodable, Sendable {
  let expiresAt: Date?
  let issuedAt: Date?
  let subject: UserID?
  let sessionID: String?

  private enum CodingKeys: String, CodingKey {
    case exp, iat, sub, sid
  }

  /// The claims of a compact JWS, or nil where the bytes are none.
  init?(token: UnsafeRawBufferPointer) {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // A payload beyond this is no access token, and is not worth the time of parsing it.
    guard parts.count == 3, parts[1].count <= 65_536,
      let payload = Base64URL.decode(parts[1]),
      let claims = try? JSONDecoder().decode(JWTClaims.self, from: Data(payload))
    else { return nil }
    self = claims
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    expiresAt = container.numericDate(forKey: .exp)
    issuedAt = container.numericDate(forKey: .iat)
    subject = try? container.decode(UserID.self, forKey: .sub)
    // An id like any other: a string or a number.
    sessionID = (try? container.decode(UserID.self, forKey: .sid))?.rawValue
  }
}

extension KeyedDecodingContainer {
  /// A NumericDate (RFC 7519, section 2), also where a backend sends it as a string.
  ///
  /// What no calendar holds (`1e300`, 2^63, NaN, before 1970) is nil: neither a trap nor "never
  /// expires".
  fileprivate func numericDate(forKey key: Key) -> Date? {
    let number =
      (try? decode(Double.self, forKey: key))
      ?? (try? decode(String.self, forKey: key)).flatMap { Double($0) }
    guard let number, number.isFinite, number > 0, number < 253_402_300_800 else { return nil }
    return Date(timeIntervalSince1970: number)
  }
}

/// Access tokens as signed JWTs (RFC 7519), under whichever key of the ring is good at the time.
struct AccessTokenCoder: Sendable {
  let ring: SigningKeyRing

  /// What a text is, taken for an access token.
  enum Reading: Equatable, Sendable {
    /// One of our keys signed it; its expiry is for the caller to judge.
    case signed(AccessTokenClaims)
    /// It names a key that is not in the ring: another instance's newest, or nobody's.
    case unknownKey
    case invalid
  }

  /// The token of the claims; nil where no key signs.
  func encode(_ claims: AccessTokenClaims, at now: Int64) -> String? {
    guard let key = ring.signing(at: now) else { return nil }
    let header = JSONValue.of([
      "alg": .string(key.algorithm.rawValue), "typ": .string("JWT"), "kid": .string(key.id),
    ])
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.payload.utf8))"
    return "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
  }

  func decode(_ token: String, at now: Int64) -> Reading {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, token.utf8.count <= 4_096,
      let header = Base64URL.decode(parts[0]).flatMap(JSONValue.init(parsing:)),
      let keyID = header["kid"]?.text, let signature = Base64URL.decode(parts[2])
    else { return .invalid }
    guard let key = ring.verifying(keyID, at: now) else { return .unknownKey }
    // The key says which algorithm it is for, never the token.
    guard header["alg"]?.text == key.algorithm.rawValue,
      // RFC 7515, section 4.1.11: what must be understood and is not is refused.
      header["crit"] == nil,
      key.isValid(signature, of: Array("\(parts[0]).\(parts[1])".utf8)),
      let claims = Base64URL.decode(parts[1]).flatMap(JSONValue.init(parsing:))
        .flatMap(AccessTokenClaims.init(payload:))
    else { return .invalid }
    return .signed(claims)
  }
}

/// Access tokens as JWTs signed with EdDSA (RFC 7519, RFC 8037).
struct AccessTokenCoder: Sendable {
  /// All keys that may have signed a token that still lives.
  private let keys: [SigningKey]
  private let active: SigningKey

  /// Signs with `active`, and accepts what any of `keys` signed.
  init(active: SigningKey, keys: [SigningKey]) {
    (self.active, self.keys) = (active, keys)
  }

  func encode(_ claims: AccessTokenClaims) -> String {
    let header = JSONValue.of([
      "alg": .string("EdDSA"), "typ": .string("JWT"), "kid": .string(active.id),
    ])
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.payload.utf8))"
    return "\(signed).\(Base64URL.encode(active.sign(Array(signed.utf8))))"
  }

  /// The claims, where one of our keys signed them; their expiry is for the caller to judge.
  func decode(_ token: String) -> AccessTokenClaims? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, token.utf8.count <= 4_096,
      let header = Base64URL.decode(parts[0]).flatMap(JSONValue.init(parsing:)),
      // The algorithm is ours to choose, never the token's.
      header["alg"]?.text == "EdDSA", let keyID = header["kid"]?.text,
      let key = keys.first(where: { $0.id == keyID }),
      let signature = Base64URL.decode(parts[2]),
      key.isValid(signature, of: Array("\(parts[0]).\(parts[1])".utf8)),
      let payload = Base64URL.decode(parts[1]).flatMap(JSONValue.init(parsing:))
    else { return nil }
    return AccessTokenClaims(payload: payload)
  }
}

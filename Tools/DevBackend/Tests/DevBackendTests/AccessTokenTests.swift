import Testing

@testable import DevBackend

/// Signed access tokens, and passwords.
@Suite struct AccessTokenTests {
  private let claims = AccessTokenClaims(
    userID: "usr_1",
    sessionID: "ses_1",
    deviceID: "phone",
    issuedAt: 1_800_000_000_123,
    expiry: 1_800_000_900,
    nonce: "a-b_c"
  )

  private static let now: Int64 = 1_800_000_000_123

  private func key(
    _ byte: UInt8,
    _ algorithm: SigningAlgorithm = .edDSA
  ) throws -> SigningKey {
    try #require(SigningKey(seed: [UInt8](repeating: byte, count: 32), algorithm: algorithm))
  }

  private func coder(
    _ byte: UInt8 = 1,
    _ algorithm: SigningAlgorithm = .edDSA
  ) throws -> AccessTokenCoder {
    coder(of: [(try key(byte, algorithm), 0)])
  }

  private func coder(of keys: [(key: SigningKey, signsFrom: Int64)]) -> AccessTokenCoder {
    let policy = SigningKeySchedule.Policy(
      accessLifetime: 900_000,
      announcement: 600_000,
      interval: nil
    )
    return AccessTokenCoder(ring: SigningKeyRing(keys, policy: policy))
  }

  private func encode(_ coder: AccessTokenCoder) throws -> String {
    try #require(coder.encode(claims, at: Self.now))
  }

  @Test(arguments: SigningAlgorithm.allCases)
  func `a token says what was put in`(algorithm: SigningAlgorithm) throws {
    let coder = try coder(1, algorithm)
    let token = try encode(coder)
    #expect(coder.decode(token, at: Self.now) == .signed(claims))
    let payload = try #require(Base64URL.decode(token.split(separator: ".")[1]))
    let json = try #require(JSONValue(parsing: payload))
    #expect(json["sub"] == .string("usr_1"))
    #expect(json["sid"] == .string("ses_1"))
    #expect(json["device_id"] == .string("phone"))
    #expect(json["iat"] == .integer(1_800_000_000))
    #expect(json["exp"] == .integer(1_800_000_900))
  }

  @Test(arguments: SigningAlgorithm.allCases)
  func `a token of another server is refused`(algorithm: SigningAlgorithm) throws {
    let other = try encode(coder(1, algorithm))
    #expect(try coder(2, algorithm).decode(other, at: Self.now) == .unknownKey)
  }

  @Test func `a token of an older key of this server is taken while it lives, and no longer`()
    throws
  {
    let old = try encode(coder(1))
    let coder = coder(of: [(try key(2), Self.now), (try key(1), 0)])
    #expect(coder.decode(old, at: Self.now) == .signed(claims))
    #expect(coder.decode(old, at: Self.now + 959_999) == .signed(claims))
    #expect(coder.decode(old, at: Self.now + 960_000) == .unknownKey)
    #expect(try coder.decode(encode(coder), at: Self.now) == .signed(claims))
    #expect(try encode(coder) != old)
  }

  @Test func `without a key nothing is signed`() {
    #expect(coder(of: []).encode(claims, at: Self.now) == nil)
  }

  @Test(arguments: SigningAlgorithm.allCases)
  func `a token with any one character changed is refused`(algorithm: SigningAlgorithm) throws {
    let coder = try coder(1, algorithm)
    let token = Array(try encode(coder))
    for index in token.indices {
      var changed = token
      changed[index] = changed[index] == "A" ? "B" : "A"
      let reading = coder.decode(String(changed), at: Self.now)
      #expect(reading == .invalid || reading == .unknownKey, "position \(index)")
    }
  }

  /// A token with a header of one's choice, signed by a key of the server.
  private func token(_ header: [String: JSONValue], by key: SigningKey) -> String {
    let header = JSONValue.object(header.map { JSONValue.Member(name: $0.key, value: $0.value) })
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.payload.utf8))"
    return "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
  }

  @Test(
    arguments: SigningAlgorithm.allCases,
    ["none", "None", "HS256", "EdDSA", "ES256", "hs256", "eddsa", ""]
  )
  func `the algorithm is the key's to say, never the token's`(
    algorithm: SigningAlgorithm,
    claimed: String
  ) throws {
    let key = try key(1, algorithm)
    let token = token(["alg": .string(claimed), "kid": .string(key.id)], by: key)
    let reading = try coder(1, algorithm).decode(token, at: Self.now)
    #expect(reading == (claimed == algorithm.rawValue ? .signed(claims) : .invalid))
    let unsigned = "\(token.split(separator: ".").dropLast().joined(separator: "."))."
    #expect(try coder(1, algorithm).decode(unsigned, at: Self.now) == .invalid)
  }

  @Test func `RFC 7515: a token that must be understood in a way unknown here is refused`() throws {
    let key = try key(1)
    let header: [String: JSONValue] = [
      "alg": .string("EdDSA"), "kid": .string(key.id), "crit": .array([.string("b64")]),
      "b64": .bool(false),
    ]
    #expect(try coder().decode(token(header, by: key), at: Self.now) == .invalid)
  }

  @Test(arguments: ["", ".", "..", "...", "a.b.c", "e30.e30.e30", "e30.e30"])
  func `what is no token is refused`(text: String) throws {
    #expect(try coder().decode(text, at: Self.now) == .invalid)
  }

  @Test func `a public key is published in RFC 8037's words, and a secret never`() throws {
    // RFC 8037, appendix A: the key of RFC 8032, section 7.1, test 1.
    let seed = try #require(Base64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"))
    let key = try #require(SigningKey(seed: seed))
    let jwk = try #require(key.publicJWK)
    #expect(jwk.string("x") == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    #expect(jwk.string("kty") == "OKP" && jwk.string("crv") == "Ed25519")
    #expect(jwk["d"] == nil)
    #expect(try #require(SigningKey(seed: seed, algorithm: .hs256)).publicJWK == nil)
  }

  @Test func `an HMAC is the one that Python's hmac gives, and its key has 32 bytes`() throws {
    let key = try key(0x0b, .hs256)
    let mac = key.sign(Array("Hi There".utf8))
    #expect(
      Hexadecimal.encode(mac) == "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7"
    )
    #expect(key.isValid(mac, of: Array("Hi There".utf8)))
    #expect(!key.isValid(Array(mac.dropLast()), of: Array("Hi There".utf8)))
    #expect(SigningKey(seed: [1, 2, 3], algorithm: .hs256) == nil)
  }

  @Test func `a signature is the one that RFC 8032 gives`() throws {
    // RFC 8032, section 7.1, test 2.
    let seed: [UInt8] = [
      0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3, 0x46, 0xec, 0x11, 0x4e,
      0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab, 0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8,
      0xa6, 0xfb,
    ]
    let key = try #require(SigningKey(seed: seed))
    let publicKey = Base64URL.decode(try #require(key.publicJWK).string("x"))
    #expect(
      publicKey.map(Hexadecimal.encode)
        == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    )
    #expect(Hexadecimal.encode(key.sign([0x72])).hasPrefix("92a009a9f0d4cab8720e820b5f642540"))
  }

  @Test func `a password is known by its Argon2id hash`() throws {
    let hasher = PasswordHasher(cost: .minimum)
    let hash = try #require(hasher.hash("SecurePass1"))
    #expect(hash.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
    #expect(hasher.verify("SecurePass1", against: hash))
    #expect(!hasher.verify("SecurePass2", against: hash))
    #expect(hasher.hash("SecurePass1") != hash)
  }

  @Test(arguments: [
    PasswordCost.minimum, .interactive, PasswordCost(passes: 3, memory: 1_048_576),
  ])
  func `an unknown user costs the work of a wrong password`(cost: PasswordCost) throws {
    let hasher = PasswordHasher(cost: cost)
    // libsodium takes it apart, and finds the same work in it as in a hash of its own; a text that
    // it could not take apart would cost nothing.
    #expect(hasher.isCurrent(hasher.decoy))
    #expect(hasher.isCurrent(try #require(hasher.hash("SecurePass1"))))
    #expect(hasher.decoy.utf8.count == hasher.hash("SecurePass1")?.utf8.count)
    #expect(!hasher.isCurrent("nonsense"))
    #expect(!hasher.verify("SecurePass1", against: nil))
    let other = PasswordHasher(cost: PasswordCost(passes: 4, memory: 16_384))
    #expect(!other.isCurrent(hasher.decoy))
  }
}

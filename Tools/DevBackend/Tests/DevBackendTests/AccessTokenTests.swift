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

  private func key(_ byte: UInt8) throws -> SigningKey {
    try #require(SigningKey(seed: [UInt8](repeating: byte, count: 32)))
  }

  private func coder(_ byte: UInt8 = 1) throws -> AccessTokenCoder {
    AccessTokenCoder(active: try key(byte), keys: [try key(byte)])
  }

  @Test func `a token says what was put in`() throws {
    let token = try coder().encode(claims)
    #expect(try coder().decode(token) == claims)
    let payload = try #require(Base64URL.decode(token.split(separator: ".")[1]))
    let json = try #require(JSONValue(parsing: payload))
    #expect(json["sub"] == .string("usr_1"))
    #expect(json["sid"] == .string("ses_1"))
    #expect(json["device_id"] == .string("phone"))
    #expect(json["iat"] == .integer(1_800_000_000))
    #expect(json["exp"] == .integer(1_800_000_900))
  }

  @Test func `a token of another server is refused`() throws {
    #expect(try coder(2).decode(try coder(1).encode(claims)) == nil)
  }

  @Test func `a token of an older key of this server is taken`() throws {
    let old = try coder(1).encode(claims)
    let coder = AccessTokenCoder(active: try key(2), keys: [try key(2), try key(1)])
    #expect(coder.decode(old) == claims)
  }

  @Test func `a token with any one character changed is refused`() throws {
    let coder = try coder()
    let token = Array(coder.encode(claims))
    for index in token.indices {
      var changed = token
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(coder.decode(String(changed)) == nil, "position \(index)")
    }
  }

  @Test(arguments: ["none", "HS256", "ES256"])
  func `the algorithm is not the token's to choose`(algorithm: String) throws {
    let key = try key(1)
    let header = JSONValue.of([
      "alg": .string(algorithm), "typ": .string("JWT"), "kid": .string(key.id),
    ])
    let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.payload.utf8))"
    let signature = Base64URL.encode(key.sign(Array(signed.utf8)))
    #expect(try coder().decode("\(signed).\(signature)") == nil)
    #expect(try coder().decode("\(signed).") == nil)
  }

  @Test(arguments: ["", ".", "..", "...", "a.b.c", "e30.e30.e30", "e30.e30"])
  func `what is no token is refused`(text: String) throws {
    #expect(try coder().decode(text) == nil)
  }

  @Test func `a signature is the one that RFC 8032 gives`() throws {
    // RFC 8032, section 7.1, test 2.
    let seed: [UInt8] = [
      0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3, 0x46, 0xec, 0x11, 0x4e,
      0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab, 0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8,
      0xa6, 0xfb,
    ]
    let key = try #require(SigningKey(seed: seed))
    #expect(
      Hexadecimal.encode(key.publicKey)
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

  @Test func `an unknown user costs the work of a wrong password`() {
    let hasher = PasswordHasher(cost: PasswordCost(passes: 2, memory: 33_554_432))
    let clock = ContinuousClock()
    // A hash that cannot be parsed costs nothing: the difference is what a spy would measure.
    let nothing = clock.measure { _ = hasher.verify("SecurePass1", against: "nonsense") }
    let unknown = clock.measure { #expect(!hasher.verify("SecurePass1", against: nil)) }
    #expect(unknown > nothing * 10)
  }
}

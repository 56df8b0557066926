internal import CSodium

/// A key that signs access tokens, by one algorithm only: Ed25519 (RFC 8032) or HMAC-SHA-256.
struct SigningKey: Sendable {
  /// The key's id, `kid` in a token's header; it tells nothing about a secret.
  let id: String
  let algorithm: SigningAlgorithm
  private let publicKey: [UInt8]
  private let secretKey: [UInt8]

  static let seedSize = 32

  /// The key of a seed; nil for one that has not ``seedSize`` bytes.
  init?(seed: [UInt8], algorithm: SigningAlgorithm = .edDSA) {
    guard seed.count == Self.seedSize else { return nil }
    self.algorithm = algorithm
    switch algorithm {
    case .edDSA:
      var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
      var secretKey = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
      guard crypto_sign_seed_keypair(&publicKey, &secretKey, seed) == 0 else { return nil }
      (self.publicKey, self.secretKey) = (publicKey, secretKey)
      id = Self.id(of: publicKey)
    case .hs256:
      (publicKey, secretKey) = ([], seed)
      // A signature is no secret, so that what is made of one is none.
      id = Self.id(of: Self.mac(Array("kid".utf8), seed))
    }
  }

  /// The key as the JWK that others may know (RFC 8037); nil where nobody may.
  var publicJWK: JSONValue? {
    guard algorithm == .edDSA else { return nil }
    return .of([
      "kty": .string("OKP"),
      "crv": .string("Ed25519"),
      "x": .string(Base64URL.encode(publicKey)),
      "kid": .string(id),
      "alg": .string(algorithm.rawValue),
      "use": .string("sig"),
    ])
  }

  func sign(_ message: [UInt8]) -> [UInt8] {
    switch algorithm {
    case .hs256: return Self.mac(message, secretKey)
    case .edDSA:
      var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
      crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
      return signature
    }
  }

  /// Compares in constant time.
  func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch algorithm {
    case .hs256:
      return ConstantTime.areEqual(signature, Self.mac(message, secretKey))
    case .edDSA:
      guard signature.count == Int(crypto_sign_BYTES) else { return false }
      return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
  }

  private static func mac(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
    var mac = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256(&mac, message, UInt64(message.count), key)
    return mac
  }

  private static func id(of bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 16)
    crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
    return Base64URL.encode(Array(digest.prefix(9)))
  }
}

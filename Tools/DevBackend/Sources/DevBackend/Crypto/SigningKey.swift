internal import CSodium

/// An Ed25519 key pair that signs access tokens (RFC 8032).
struct SigningKey: Sendable {
  /// The key's id, `kid` in a token's header: a part of the public key's hash.
  let id: String
  let publicKey: [UInt8]
  private let secretKey: [UInt8]

  /// The key pair of a seed of 32 bytes; nil for another length.
  init?(seed: [UInt8]) {
    guard seed.count == Int(crypto_sign_SEEDBYTES) else { return nil }
    var publicKey = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
    var secretKey = [UInt8](repeating: 0, count: Int(crypto_sign_SECRETKEYBYTES))
    guard crypto_sign_seed_keypair(&publicKey, &secretKey, seed) == 0 else { return nil }
    var digest = [UInt8](repeating: 0, count: 16)
    crypto_generichash(&digest, digest.count, publicKey, UInt64(publicKey.count), nil, 0)
    (self.publicKey, self.secretKey) = (publicKey, secretKey)
    id = Base64URL.encode(Array(digest.prefix(9)))
  }

  func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
    crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
    return signature
  }

  func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Int(crypto_sign_BYTES) else { return false }
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
  }
}

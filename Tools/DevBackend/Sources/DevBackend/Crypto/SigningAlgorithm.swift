/// How access tokens are signed (RFC 7518, RFC 8037).
public enum SigningAlgorithm: String, Sendable, CaseIterable {
  /// Ed25519: whoever has the public key, which the server publishes, can verify.
  case edDSA = "EdDSA"
  /// HMAC with SHA-256, for tests: whoever can verify can sign, so nothing is published.
  case hs256 = "HS256"
}

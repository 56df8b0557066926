/// The signing keys of one moment, and when each of them is good.
struct SigningKeyRing: Sendable {
  private let keys: [String: SigningKey]
  let schedule: SigningKeySchedule
  let policy: SigningKeySchedule.Policy

  init(_ keys: [(key: SigningKey, signsFrom: Int64)], policy: SigningKeySchedule.Policy) {
    self.keys = Dictionary(keys.map { ($0.key.id, $0.key) }) { first, _ in first }
    schedule = SigningKeySchedule(keys.map { .init(id: $0.key.id, signsFrom: $0.signsFrom) })
    self.policy = policy
  }

  /// The key that signs now; nil where there is none.
  func signing(at now: Int64) -> SigningKey? { schedule.signing(at: now).flatMap { keys[$0] } }

  /// The key of an id that verifies now.
  func verifying(_ id: String, at now: Int64) -> SigningKey? {
    schedule.verifying(at: now, policy).contains(id) ? keys[id] : nil
  }

  /// The document at `/.well-known/jwks.json` (RFC 7517): what verifies now and may be known.
  func publicKeys(at now: Int64) -> JSONValue {
    let jwks = schedule.verifying(at: now, policy).compactMap { keys[$0]?.publicJWK }
    return .of(["keys": .array(jwks)])
  }
}

/// The server's own secrets: made once, kept in the database, so that a restart signs nobody out.
enum SecretTable {
  /// The key under which tokens are hashed.
  static func hashKey(_ connection: any SQLConnection) throws(BackendError) -> [UInt8] {
    let name = SQLValue.text("token_hash_key")
    try connection.run(
      "INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING",
      name,
      .text(Entropy.secret())
    )
    let rows = try connection.run("SELECT value FROM secrets WHERE name = ?", name)
    guard let key = rows.first.flatMap({ Base64URL.decode($0.text(0)) }), key.count == 32 else {
      throw BackendError(.database, "the database's token_hash_key is damaged")
    }
    return key
  }

  /// All signing keys, the newest (which signs) first; the first one is made here.
  static func signingKeys(
    _ connection: any SQLConnection,
    now: Int64
  ) throws(BackendError) -> [SigningKey] {
    let keys = try readSigningKeys(connection)
    if !keys.isEmpty { return keys }
    let seed = Entropy.bytes(32)
    guard let key = SigningKey(seed: seed) else {
      throw BackendError(.entropy, "cannot make a signing key")
    }
    try connection.run(
      "INSERT INTO signing_keys VALUES (?, ?, ?)",
      .text(key.id),
      .text(Base64URL.encode(seed)),
      .integer(now)
    )
    return [key]
  }

  private static func readSigningKeys(
    _ connection: any SQLConnection
  ) throws(BackendError) -> [SigningKey] {
    var keys: [SigningKey] = []
    for row in try connection.run("SELECT seed FROM signing_keys ORDER BY created_at DESC") {
      guard let key = Base64URL.decode(row.text(0)).flatMap(SigningKey.init(seed:)) else {
        throw BackendError(.database, "a signing key in the database is damaged")
      }
      keys.append(key)
    }
    return keys
  }
}

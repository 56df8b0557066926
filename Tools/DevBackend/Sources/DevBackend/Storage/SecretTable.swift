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
}

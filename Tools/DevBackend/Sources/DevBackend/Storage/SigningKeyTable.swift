/// Signing keys in the database, which every instance reads.
enum SigningKeyTable {
  /// The keys of one algorithm, with when they sign.
  ///
  /// - Throws: ``BackendError`` where one is damaged.
  static func all(
    _ algorithm: SigningAlgorithm,
    _ connection: any SQLConnection
  ) throws -> [(key: SigningKey, signsFrom: Int64)] {
    try connection.run(
      "SELECT seed, COALESCE(signs_from, created_at) FROM signing_keys WHERE algorithm = ?",
      .text(algorithm.rawValue)
    ).map { row in
      let seed = Base64URL.decode(row.text(0))
      guard let key = seed.flatMap({ SigningKey(seed: $0, algorithm: algorithm) }) else {
        throw BackendError(.database, "a signing key in the database is damaged")
      }
      return (key, row.integer(1))
    }
  }

  static func insert(
    _ key: SigningKey,
    seed: [UInt8],
    signsFrom: Int64,
    now: Int64,
    _ connection: any SQLConnection
  ) throws {
    try connection.run(
      """
      INSERT INTO signing_keys (id, seed, created_at, algorithm, signs_from)
      VALUES (?, ?, ?, ?, ?)
      """,
      .text(key.id),
      .text(Base64URL.encode(seed)),
      .integer(now),
      .text(key.algorithm.rawValue),
      .integer(signsFrom)
    )
  }

  static func delete(_ ids: [String], _ connection: any SQLConnection) throws {
    for id in ids { try connection.run("DELETE FROM signing_keys WHERE id = ?", .text(id)) }
  }
}

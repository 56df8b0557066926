/// Whom the inspector shows.
enum InspectorTable {
  /// The users whose sessions were used last, newest first.
  ///
  /// The text is part of a name, address, device, client or id, in lower case, and empty for all;
  /// the request is the whole id of one that rotated a token; the sessions fit for other reasons.
  static func users(
    matching text: String,
    request: String,
    sessions: Set<String>,
    limit: Int,
    _ connection: any SQLConnection
  ) throws -> [String] {
    let newest = "GROUP BY f.user_id ORDER BY MAX(f.last_seen_at) DESC, f.user_id LIMIT ?"
    guard !text.isEmpty else {
      return try connection.run(
        "SELECT f.user_id FROM families f \(newest)",
        .integer(Int64(limit))
      ).map { $0.text(0) }
    }
    let pattern = SQLValue.text("%\(escaped(text))%")
    let columns = ["u.id", "u.username", "u.email", "f.id", "f.device_id", "f.user_agent"]
    let conditions = columns.map { "LOWER(\($0)) LIKE ? ESCAPE '!'" }.joined(separator: " OR ")
    let ids = sessions.sorted().prefix(500)
    let marks = ids.map { _ in "?" }.joined(separator: ", ")
    return try connection.run(
      """
      SELECT f.user_id FROM families f JOIN users u ON u.id = f.user_id
      WHERE \(conditions)
        OR f.id IN (SELECT family_id FROM refresh_tokens WHERE spent_attempt = ?)
        \(ids.isEmpty ? "" : "OR f.id IN (\(marks))")
      \(newest)
      """,
      columns.map { _ in pattern } + [.text(request)] + ids.map { .text($0) }
        + [.integer(Int64(limit))]
    ).map { $0.text(0) }
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "!%_".contains(character) { result.append("!") }
      result.append(character)
    }
  }
}

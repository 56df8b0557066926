/// Groups, their members and their messages in the database.
enum GroupTable {
  private static let columns =
    "id, group_id, sender_id, client_message_id, body, sequence, sent_at"

  static func create(_ id: String, now: Int64, _ connection: any SQLConnection) throws {
    try connection.run(
      "INSERT INTO chat_groups (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
      .text(id),
      .integer(now)
    )
  }

  static func join(_ id: String, user: String, _ connection: any SQLConnection) throws {
    try connection.run(
      "INSERT INTO members VALUES (?, ?) ON CONFLICT DO NOTHING",
      .text(id),
      .text(user)
    )
  }

  static func isMember(
    _ user: String,
    of id: String,
    _ connection: any SQLConnection
  ) throws -> Bool {
    try !connection.run(
      "SELECT 1 FROM members WHERE group_id = ? AND user_id = ?",
      .text(id),
      .text(user)
    ).isEmpty
  }

  /// The message that a sender already sent under this id.
  static func message(
    clientMessageID: String,
    sender: String,
    group: String,
    _ connection: any SQLConnection
  ) throws -> MessageRecord? {
    try connection.run(
      """
      SELECT \(columns) FROM messages
      WHERE group_id = ? AND sender_id = ? AND client_message_id = ?
      """,
      .text(group),
      .text(sender),
      .text(clientMessageID)
    ).first.map(record)
  }

  /// Appends a message under the group's next sequence number.
  static func append(
    body: String,
    clientMessageID: String,
    sender: String,
    group: String,
    now: Int64,
    _ connection: any SQLConnection
  ) throws -> MessageRecord {
    // Locks the group's row, so that nobody takes the same number meanwhile; rolled back with
    // the message, so that no number is left out.
    let taken = try connection.run(
      """
      UPDATE chat_groups SET last_sequence = last_sequence + 1 WHERE id = ?
      RETURNING last_sequence
      """,
      .text(group)
    )
    guard let sequence = taken.first?.integer(0) else { throw ServiceFailure.notFound("group") }
    let message = MessageRecord(
      id: Entropy.id("msg"),
      groupID: group,
      senderID: sender,
      clientMessageID: clientMessageID,
      body: body,
      sequence: sequence,
      sentAt: now
    )
    try connection.run(
      "INSERT INTO messages (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
      .text(message.id),
      .text(group),
      .text(sender),
      .text(clientMessageID),
      .text(body),
      .integer(message.sequence),
      .integer(now)
    )
    return message
  }

  /// Messages below a sequence number, newest first.
  static func messages(
    before sequence: Int64,
    group: String,
    limit: Int,
    _ connection: any SQLConnection
  ) throws -> [MessageRecord] {
    try connection.run(
      """
      SELECT \(columns) FROM messages
      WHERE group_id = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?
      """,
      .text(group),
      .integer(sequence),
      .integer(Int64(limit))
    ).map(record)
  }

  /// Messages above a sequence number, oldest first.
  static func messages(
    after sequence: Int64,
    group: String,
    limit: Int,
    _ connection: any SQLConnection
  ) throws -> [MessageRecord] {
    try connection.run(
      """
      SELECT \(columns) FROM messages
      WHERE group_id = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """,
      .text(group),
      .integer(sequence),
      .integer(Int64(limit))
    ).map(record)
  }

  /// The number of each group's last message.
  static func lastSequences(_ connection: any SQLConnection) throws -> [String: Int64] {
    let rows = try connection.run("SELECT id, last_sequence FROM chat_groups")
    return Dictionary(rows.map { ($0.text(0), $0.integer(1)) }) { first, _ in first }
  }

  private static func record(_ row: SQLRow) -> MessageRecord {
    MessageRecord(
      id: row.text(0),
      groupID: row.text(1),
      senderID: row.text(2),
      clientMessageID: row.text(3),
      body: row.text(4),
      sequence: row.integer(5),
      sentAt: row.integer(6)
    )
  }
}

/// Messages of groups, for their members.
struct GroupService: Sendable {
  let core: BackendCore

  /// The group that every registered user is in.
  static let general = "general"

  /// A message may be this long, in bytes of UTF-8.
  static let maximumBodySize = 16_384

  /// What somebody wants to send.
  struct Draft: Sendable {
    let groupID: String
    let clientMessageID: String
    let body: String
  }

  /// One page of a group's history, newest first.
  struct Page: Sendable {
    let messages: [MessageRecord]
    let hasMore: Bool
  }

  /// Sends a message, once for each client message id of a sender.
  ///
  /// - Throws: ``ServiceFailure/notFound(_:)`` where there is no such group, or for a stranger.
  func send(_ draft: Draft, by userID: String) throws -> MessageRecord {
    let now = core.time.now
    let message = try core.database.transaction {
      try Self.send(draft, by: userID, now: now, $0)
    }
    core.announceMessages(in: draft.groupID)
    return message
  }

  /// The same for callers that must not block.
  func send(_ draft: Draft, by userID: String) async throws -> MessageRecord {
    let now = core.time.now
    let message = try await core.database.perform {
      try Self.send(draft, by: userID, now: now, $0)
    }
    core.announceMessages(in: draft.groupID)
    return message
  }

  /// A page of history, below a sequence number or from the newest message on.
  func history(
    group: String,
    before: Int64?,
    limit: Int,
    for userID: String
  ) throws -> Page {
    try core.database.transaction { connection in
      try Self.requireMember(userID, of: group, connection)
      // One more than asked for tells whether there are older ones.
      let found = try GroupTable.messages(
        before: before ?? .max,
        group: group,
        limit: limit + 1,
        connection
      )
      return Page(messages: Array(found.prefix(limit)), hasMore: found.count > limit)
    }
  }

  /// Messages above a sequence number, oldest first; for streams.
  func messages(group: String, after: Int64, limit: Int) async throws -> [MessageRecord] {
    try await core.database.perform {
      try GroupTable.messages(after: after, group: group, limit: limit, $0)
    }
  }

  /// - Throws: ``ServiceFailure/notFound(_:)`` where there is no such group, or for a stranger.
  func requireMember(_ userID: String, of group: String) async throws {
    try await core.database.perform { try Self.requireMember(userID, of: group, $0) }
  }

  /// What is wrong with a draft, by the field names of a dialect.
  static func faults(
    of draft: Draft,
    idField: String
  ) -> [FieldFault] {
    var faults: [FieldFault] = []
    if !(1...128).contains(draft.clientMessageID.utf8.count) {
      faults.append(FieldFault(field: idField, message: "\(idField) must have 1 to 128 bytes"))
    }
    if !(1...maximumBodySize).contains(draft.body.utf8.count) {
      let message = "body must have 1 to \(maximumBodySize) bytes"
      faults.append(FieldFault(field: "body", message: message))
    }
    return faults
  }

  private static func send(
    _ draft: Draft,
    by userID: String,
    now: Int64,
    _ connection: any SQLConnection
  ) throws -> MessageRecord {
    try requireMember(userID, of: draft.groupID, connection)
    let first = try GroupTable.message(
      clientMessageID: draft.clientMessageID,
      sender: userID,
      group: draft.groupID,
      connection
    )
    if let first { return first }
    return try GroupTable.append(
      body: draft.body,
      clientMessageID: draft.clientMessageID,
      sender: userID,
      group: draft.groupID,
      now: now,
      connection
    )
  }

  private static func requireMember(
    _ userID: String,
    of group: String,
    _ connection: any SQLConnection
  ) throws {
    guard try GroupTable.isMember(userID, of: group, connection) else {
      throw ServiceFailure.notFound("group")
    }
  }
}

/// Users with their sessions, and what happened to these: all that the inspector shows.
struct InspectorReport: Sendable {
  private struct Person {
    let user: UserRecord
    let sessions: [SessionRecord]
  }

  private let people: [Person]
  private let events: [String: [SessionEvent]]
  private let newest: Int
  private let isCut: Bool
  private let now: Int64
  private let lifetime: Int64
  private let model: String

  /// So many users are shown, those first whose sessions were used last.
  private static let maximumUsers = 100
  /// So many sessions of a user, the newest.
  private static let maximumSessions = 50
  /// So many events of a session, the newest.
  private static let maximumEvents = 200

  /// What is there; blocks.
  ///
  /// Searched for is part of a request id, session, device, name or address, or of what happened;
  /// an empty text finds everything.
  init(core: BackendCore, search: String) throws {
    let journal = core.operations.journal
    // Before the database is read: an event that comes meanwhile is then sent again, not missed.
    newest = journal.newest
    let wanted = search.lowercased()
    let all = journal.events()
    events = Dictionary(grouping: all, by: \.sessionID)
    let hits = wanted.isEmpty ? [] : Set(all.filter { $0.contains(wanted) }.map(\.sessionID))
    let limit = Self.maximumUsers
    let found = try core.database.transaction { connection in
      let ids = try InspectorTable.users(
        matching: wanted,
        request: search,
        sessions: hits,
        limit: limit + 1,
        connection
      )
      return try ids.compactMap { id -> Person? in
        guard let user = try UserTable.user(id: id, connection) else { return nil }
        return Person(user: user, sessions: try FamilyTable.sessions(ofUser: id, connection))
      }
    }
    isCut = found.count > limit
    people = found.prefix(limit).map { person in
      Person(user: person.user, sessions: person.sessions.suffix(Self.maximumSessions))
    }
    now = core.time.now
    lifetime = core.configuration.refreshLifetime.milliseconds
    model = core.configuration.tokenModel.rawValue
  }

  var json: JSONValue {
    .of([
      "now": .integer(now),
      "newest": .integer(Int64(newest)),
      "model": .string(model),
      "cut": .bool(isCut),
      "users": .array(people.map(json)),
    ])
  }

  private func json(_ person: Person) -> JSONValue {
    .of([
      "id": .string(person.user.id),
      "username": .string(person.user.username),
      "email": .string(person.user.email),
      "name": person.user.displayName.map(JSONValue.string),
      "sessions": .array(person.sessions.reversed().map(json)),
    ])
  }

  private func json(_ session: SessionRecord) -> JSONValue {
    let until = session.opaqueUntil ?? session.lastSeenAt + lifetime
    return .of([
      "id": .string(session.id),
      "dialect": .string(session.dialect.rawValue),
      "device": session.deviceID.map(JSONValue.string),
      "client": session.userAgent.map(JSONValue.string),
      "created": .integer(session.createdAt),
      "seen": .integer(session.lastSeenAt),
      "until": .integer(until),
      "rotations": .integer(Int64(session.generation)),
      "grace": .integer(Int64(session.graceAnswers)),
      "resends": .integer(Int64(session.resends)),
      "ended": session.revokedAt.map(JSONValue.integer),
      "reason": session.revocation.map { .string($0.rawValue) },
      "events": .array((events[session.id] ?? []).suffix(Self.maximumEvents).map(\.json)),
    ])
  }
}

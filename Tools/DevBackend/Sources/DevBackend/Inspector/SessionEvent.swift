/// Something that happened to a session, as the inspector shows it.
struct SessionEvent: Equatable, Sendable {
  /// Counts from 1, in the order in which this instance saw or heard of them.
  let number: Int
  /// In milliseconds since 1970, by the backend's clock.
  let time: Int64
  /// What happened: `rotated`, `grace`, `ended`.
  let kind: String
  /// The session's id.
  let sessionID: String
  /// The `X-Request-Id` of the request that did it.
  let requestID: String?
  /// What else the log says: the generation, the reason, the end of the token.
  let details: [BackendLogLine.Field]

  /// The event of a log line; nil where the line is about no session.
  init?(_ line: BackendLogLine, number: Int) {
    guard let session = line.value("sid"),
      let kind = Self.kinds[line.event] ?? Self.kind(line.event)
    else { return nil }
    (self.number, time, self.kind) = (number, line.time, kind)
    (sessionID, requestID) = (session, line.requestID)
    details = line.fields.filter { $0.name != "sid" }
  }

  /// The event that another instance told of.
  init(_ note: JournalNote, number: Int) {
    (self.number, time, kind) = (number, note.time, note.kind)
    (sessionID, requestID) = (note.sessionID, note.requestID)
    details = note.details + [BackendLogLine.Field(name: "instance", value: "another")]
  }

  /// Names that say more than the log's.
  private static let kinds = [
    "account.registered": "registered", "login.accepted": "signed_in", "session.ended": "ended",
    "stream.subscribed": "stream", "stream.connected": "stream",
  ]

  /// What a refresh decided has the name of its decision; others have the event's last part.
  private static func kind(_ event: String) -> String? {
    event.split(separator: ".").last.map(String.init)
  }

  var json: JSONValue {
    .of([
      "number": .integer(Int64(number)),
      "time": .integer(time),
      "kind": .string(kind),
      "session": .string(sessionID),
      "request": requestID.map(JSONValue.string),
      "details": .object(details.map { .init(name: $0.name, value: .string($0.value)) }),
    ])
  }

  /// Whether a text stands in its ids, case aside.
  func contains(_ text: String) -> Bool {
    (requestID?.lowercased().contains(text) ?? false) || kind.contains(text)
      || details.contains { $0.value.lowercased().contains(text) }
  }
}

/// What happened to a session, as instances tell each other for their inspectors.
package struct JournalNote: Equatable, Sendable {
  /// In milliseconds since 1970.
  let time: Int64
  let kind: String
  let sessionID: String
  let requestID: String?
  let details: [BackendLogLine.Field]

  init(
    time: Int64,
    kind: String,
    sessionID: String,
    requestID: String?,
    details: [BackendLogLine.Field]
  ) {
    (self.time, self.kind, self.sessionID) = (time, kind, sessionID)
    (self.requestID, self.details) = (requestID, details)
  }

  /// What is told of a log line; nil where the line is about no session.
  ///
  /// Not even the last characters of a token leave the instance.
  init?(_ line: BackendLogLine) {
    guard let event = SessionEvent(line, number: 0) else { return nil }
    self.init(
      time: event.time,
      kind: event.kind,
      sessionID: event.sessionID,
      requestID: event.requestID,
      details: event.details.filter { $0.name != "token" }
    )
  }

  var json: JSONValue {
    .of([
      "time": .integer(time),
      "kind": .string(kind),
      "sid": .string(sessionID),
      "request": requestID.map(JSONValue.string),
      "details": .object(details.map { .init(name: $0.name, value: .string($0.value)) }),
    ])
  }

  /// Nil for what no instance of this version sends.
  init?(_ json: JSONValue) {
    guard let time = json["time"]?.integer, let kind = json["kind"]?.text,
      let session = json["sid"]?.text, case .object(let members)? = json["details"]
    else { return nil }
    self.init(
      time: time,
      kind: kind,
      sessionID: session,
      requestID: json["request"]?.text,
      details: members.compactMap { member in
        member.value.text.map { BackendLogLine.Field(name: member.name, value: $0) }
      }
    )
  }
}

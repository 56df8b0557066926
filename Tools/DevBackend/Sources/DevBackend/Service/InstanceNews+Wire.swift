extension InstanceNews {
  /// The news as one instance sends it; nil for what an instance only tells itself.
  package func wire(from sender: String) -> [UInt8]? {
    let from = JSONValue.string(sender)
    switch self {
    case .revoked(let sessions):
      let revoked = JSONValue.array(
        sessions.map { session in
          .of([
            "sid": .string(session.sessionID), "reason": .string(session.reason.rawValue),
            "until": .integer(session.accessUntil),
          ])
        }
      )
      return JSONValue.of(["from": from, "revoked": revoked]).utf8
    case .messages(let group):
      return JSONValue.of(["from": from, "messages": .string(group)]).utf8
    case .typing(let signal):
      return JSONValue.of([
        "from": from, "typing": .string(signal.groupID), "user": .string(signal.userID),
      ]).utf8
    case .events(let notes):
      return JSONValue.of(["from": from, "events": .array(notes.map(\.json))]).utf8
    case .deaf, .hearing: return nil
    }
  }

  /// What another instance sent, and its name; nil for what no instance of this version sends.
  package static func parse(_ wire: [UInt8]) -> (sender: String, news: InstanceNews)? {
    guard let json = JSONValue(parsing: wire), let sender = json["from"]?.text else { return nil }
    if case .array(let sessions)? = json["revoked"] {
      let revoked = sessions.compactMap { session -> Revoked? in
        guard let id = session["sid"]?.text, let until = session["until"]?.integer else {
          return nil
        }
        // A reason of a later version is a revocation all the same.
        let reason = session["reason"]?.text.flatMap(RevocationReason.init(rawValue:))
        return Revoked(sessionID: id, reason: reason ?? .revoked, accessUntil: until)
      }
      return (sender, .revoked(revoked))
    }
    if case .array(let notes)? = json["events"] {
      return (sender, .events(notes.compactMap(JournalNote.init)))
    }
    if let group = json["messages"]?.text { return (sender, .messages(group: group)) }
    if let group = json["typing"]?.text, let user = json["user"]?.text {
      return (sender, .typing(TypingSignal(groupID: group, userID: user)))
    }
    return nil
  }
}

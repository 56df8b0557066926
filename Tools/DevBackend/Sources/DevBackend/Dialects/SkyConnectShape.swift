/// SkyConnect's words: flat, snake_case.
struct SkyConnectShape: FailureShape {
  func body(of failure: ServiceFailure) -> JSONValue {
    let fields = failure.fields
    // A refused refresh is named as OAuth names it, and `code` says why.
    if case .refreshRefused = failure {
      return .of([
        "error": .string("invalid_grant"),
        "message": .string(failure.message),
        "code": .string(failure.code),
      ])
    }
    return .of([
      "error": .string(failure.message),
      "code": .string(failure.code),
      "field": fields.count == 1 ? .string(fields[0].field) : nil,
      "fields": fields.isEmpty ? nil : .messages(fields),
    ])
  }

  static func session(_ signIn: AccountService.SignIn) -> JSONValue {
    .of([
      "access_token": .string(signIn.tokens.accessToken),
      "refresh_token": signIn.tokens.refreshToken.map(JSONValue.string),
      "user_id": .string(signIn.user.id),
      "identity_seed": .string(signIn.user.identitySeed),
      "expires_in": signIn.tokens.expiresIn.map(JSONValue.integer),
    ])
  }

  /// A session as its user sees it among the others; no token of it.
  static func session(_ session: SessionRecord, isCurrent: Bool) -> JSONValue {
    .of([
      "id": .string(session.id),
      "device_id": session.deviceID.map(JSONValue.string),
      "user_agent": session.userAgent.map(JSONValue.string),
      "created_at": .string(Timestamp.rfc3339(session.createdAt)),
      "last_seen_at": .string(Timestamp.rfc3339(session.lastSeenAt)),
      "current": .bool(isCurrent),
    ])
  }

  static func tokens(_ tokens: IssuedTokens) -> JSONValue {
    .of([
      "access_token": .string(tokens.accessToken),
      "refresh_token": tokens.refreshToken.map(JSONValue.string),
      "expires_in": tokens.expiresIn.map(JSONValue.integer),
    ])
  }

  static func user(_ user: UserRecord) -> JSONValue {
    .of([
      "id": .string(user.id),
      "username": .string(user.username),
      "email": .string(user.email),
      "display_name": user.displayName.map(JSONValue.string),
      "created_at": .string(Timestamp.rfc3339(user.createdAt)),
    ])
  }

  static func message(_ message: MessageRecord) -> JSONValue {
    .of([
      "id": .string(message.id),
      "group_id": .string(message.groupID),
      "sender_id": .string(message.senderID),
      "client_message_id": .string(message.clientMessageID),
      "body": .string(message.body),
      "sequence": .integer(message.sequence),
      "sent_at": .string(Timestamp.rfc3339(message.sentAt)),
    ])
  }
}

extension JSONValue {
  /// Field errors as an object of messages by field; of two on one field the first.
  static func messages(_ faults: [FieldFault]) -> JSONValue {
    var members: [Member] = []
    for fault in faults where !members.contains(where: { $0.name == fault.field }) {
      members.append(Member(name: fault.field, value: .string(fault.message)))
    }
    return .object(members)
  }
}

/// KSN's words: an envelope, camelCase.
struct KSNShape: FailureShape {
  func body(of failure: ServiceFailure) -> JSONValue {
    let fields = failure.fields
    return .of([
      "success": .bool(false),
      "error": .string(failure.message),
      "code": .string(failure.code),
      "field": fields.count == 1 ? .string(fields[0].field) : nil,
      "fields": fields.isEmpty ? nil : .messages(fields),
    ])
  }

  static func data(_ value: JSONValue) -> JSONValue {
    .of(["success": .bool(true), "data": value])
  }

  static func tokens(_ tokens: IssuedTokens, user: JSONValue? = nil, isMobile: Bool) -> JSONValue {
    data(
      .of([
        "user": user,
        "accessToken": .string(tokens.accessToken),
        "refreshToken": isMobile ? tokens.refreshToken.map(JSONValue.string) : nil,
      ])
    )
  }

  /// A user as another one may see them.
  ///
  /// `grade` and `school` are left out for a viewer who is no verified student, except on
  /// oneself: missing means hidden, null means none on file.
  static func user(_ user: UserRecord, seenBy viewer: UserRecord, now: Int64) -> JSONValue {
    let isSelf = user.id == viewer.id
    let showsSchool = isSelf || viewer.isStudentVerified
    let age = user.dateOfBirth?.age(on: CivilDate(milliseconds: now))
    return .of([
      "id": .string(user.id),
      "email": isSelf ? .string(user.email) : nil,
      "username": .string(user.username),
      "displayName": user.displayName.map(JSONValue.string),
      "isMinor": age.map { .bool($0 < 18) },
      // Nobody under 13 can register, and from 13 on no parent has to agree.
      "requiresParentalConsent": isSelf ? .bool(false) : nil,
      "createdAt": .string(Timestamp.rfc3339(user.createdAt)),
      "onboardingCompleted": isSelf ? .bool(user.onboardingCompleted) : nil,
      "isStudentVerified": .bool(user.isStudentVerified),
      "grade": showsSchool ? .stringOrNull(user.grade) : nil,
      "school": showsSchool ? .stringOrNull(user.school) : nil,
    ])
  }

  /// A session as its user sees it among the others; no token of it.
  static func session(_ session: SessionRecord, isCurrent: Bool) -> JSONValue {
    .of([
      "id": .string(session.id),
      "deviceId": session.deviceID.map(JSONValue.string),
      "userAgent": session.userAgent.map(JSONValue.string),
      "createdAt": .string(Timestamp.rfc3339(session.createdAt)),
      "lastSeenAt": .string(Timestamp.rfc3339(session.lastSeenAt)),
      "current": .bool(isCurrent),
    ])
  }

  static func message(_ message: MessageRecord) -> JSONValue {
    .of([
      "id": .string(message.id),
      "groupId": .string(message.groupID),
      "senderId": .string(message.senderID),
      "clientMessageId": .string(message.clientMessageID),
      "body": .string(message.body),
      "sequence": .integer(message.sequence),
      "sentAt": .string(Timestamp.rfc3339(message.sentAt)),
    ])
  }
}

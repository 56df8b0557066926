internal import AuthNetworking
internal import SessionModels
internal import SessionModelsTesting
internal import Synchronization

extension RotatingServer {
  func newFamily(_ state: inout State, at now: Double) -> (number: Int, family: Family) {
    state.serial += 1
    let number = state.serial
    let family = Family(
      access: newAccess(&state, at: now),
      accessExpiry: accessLifetime.map { (now + $0).rounded(.down) },
      refresh: newRefresh(&state)
    )
    state.families[number] = family
    return (number, family)
  }

  func login(_ request: HTTPRequest) -> HTTPResponse {
    let body = request.body.flatMap { JSONValue(parsing: $0) }
    let user = body?["email"]?.string == RotatingServer.otherEmail ? "user-2" : "user-1"
    let isRight = body?["password"]?.string == RotatingServer.password.reveal()
    let now = now
    let family = state.withLock { state -> Family? in
      state.counts.logins += 1
      guard isRight else { return nil }
      let (number, family) = newFamily(&state, at: now)
      state.families[number]?.user = user
      return family
    }
    guard let family else {
      return RotatingServer.json(401, ["error": "Invalid email or password"])
    }
    var answer: JSONObject = grant(family)
    answer["user_id"] = .string(user)
    return RotatingServer.json(200, .object(answer))
  }

  func sessions(_ request: HTTPRequest) -> HTTPResponse {
    state.withLock { state in
      guard let own = owner(of: request, state) else { return RotatingServer.unauthorized }
      let user = state.families[own]?.user
      let living = state.families.filter { $0.value.user == user && !$0.value.isRevoked }
      let list = living.keys.sorted().map { number in
        JSONValue.object(
          JSONObject([("id", .string("\(number)")), ("current", .bool(number == own))])
        )
      }
      return RotatingServer.json(200, ["sessions": .array(list)])
    }
  }

  func revoke(_ request: HTTPRequest) -> HTTPResponse {
    let number = Int(request.url.path.split(separator: "/").last ?? "")
    return state.withLock { state in
      guard let own = owner(of: request, state) else { return RotatingServer.unauthorized }
      guard let number, let family = state.families[number], !family.isRevoked,
        family.user == state.families[own]?.user
      else { return RotatingServer.json(404, ["error": "No such session"]) }
      state.families[number]?.isRevoked = true
      return HTTPResponse(status: 204)
    }
  }

  /// The number of the session that a request's token belongs to; nil for a token that is no good.
  private func owner(of request: HTTPRequest, _ state: State) -> Int? {
    let now = now
    return state.families.first { _, family in
      family.access == request.bearer && !family.isRevoked
        && now < family.accessExpiry ?? .infinity
    }?.key
  }

  private static let unauthorized = json(401, ["error": "Unauthorized"])

  func refresh(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
    let requestID = request.headers["X-Request-Id"] ?? ""
    let body = request.body.flatMap { JSONValue(parsing: $0) }
    let token = Secret(body?["refresh_token"]?.string ?? "")
    let now = now
    return try state.withLock { state throws(TransportError) in
      state.counts.refreshIDs.append(requestID)
      let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
      switch fault {
      case .answer(let status, let headers, let body):
        return HTTPResponse(
          status: status,
          headers: HTTPHeaders(headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
          body: Array(body.utf8)
        )
      case .lostRequest:
        throw TransportError(.network, "The connection was refused", isUnsent: true)
      default: break
      }
      let answer = rotate(token, requestID: requestID, fault: fault, state: &state, at: now)
      if case .lostAnswer = fault { throw TransportError(.network, "The connection was reset") }
      return answer
    }
  }

  private func rotate(
    _ token: Secret,
    requestID: String,
    fault: Fault?,
    state: inout State,
    at now: Double
  ) -> HTTPResponse {
    for (number, family) in state.families {
      if let spent = family.spent.last(where: { $0.token == token }) {
        if spent.requestID == requestID, !family.isRevoked { return spent.answer }
        state.counts.reuses += family.isRevoked ? 0 : 1
        state.families[number]?.isRevoked = true
        return RotatingServer.json(401, ["error": "invalid_grant", "code": "REFRESH_TOKEN_REUSED"])
      }
      guard family.refresh == token, !family.isRevoked else { continue }
      var next = family
      if case .sameAccessToken = fault {} else { next.access = newAccess(&state, at: now) }
      next.accessExpiry = accessLifetime.map { (now + $0).rounded(.down) }
      if case .withoutRefreshToken = fault {
        state.families[number] = next
        var answer = grant(next)
        answer["refresh_token"] = nil
        return RotatingServer.json(200, .object(answer))
      }
      next.refresh = newRefresh(&state)
      let answer = RotatingServer.json(200, .object(grant(next)))
      next.spent.append((token, requestID, answer))
      state.families[number] = next
      state.counts.rotations += 1
      return answer
    }
    return RotatingServer.json(401, ["error": "invalid_grant"])
  }

  func logout(_ request: HTTPRequest) -> HTTPResponse {
    let body = request.body.flatMap { JSONValue(parsing: $0) }
    let token = body?["refresh_token"]?.string.map { Secret($0) }
    return state.withLock { state in
      state.counts.logouts += 1
      for (number, family) in state.families {
        let isMeant =
          token.map { token in
            family.refresh == token || family.spent.contains { $0.token == token }
          } ?? (family.access == request.bearer)
        if isMeant { state.families[number]?.isRevoked = true }
      }
      return HTTPResponse(status: 204)
    }
  }

  func resource(_ request: HTTPRequest) -> HTTPResponse {
    state.withLock { state in
      state.counts.resources += 1
      guard let own = owner(of: request, state), !state.rejectsEveryToken else {
        return RotatingServer.unauthorized
      }
      return RotatingServer.json(200, ["id": .string(state.families[own]?.user ?? "")])
    }
  }

  private func grant(_ family: Family) -> JSONObject {
    var answer = JSONObject()
    answer["access_token"] = .string(family.access.reveal())
    if tokenModel == .accessRefresh { answer["refresh_token"] = .string(family.refresh.reveal()) }
    return answer
  }

  private func newAccess(_ state: inout State, at now: Double) -> Secret {
    state.serial += 1
    guard let accessLifetime else {
      return made(Secret("opaque-access-token-\(state.serial)"), &state)
    }
    let issued = Int(now)
    let expiry = Int(now + accessLifetime)
    let token = TokenFixtures.jwt(
      payload: #"{"sub":"user-1","jti":"\#(state.serial)","iat":\#(issued),"exp":\#(expiry)}"#
    )
    return made(token, &state)
  }

  private func newRefresh(_ state: inout State) -> Secret {
    state.serial += 1
    return made(Secret("refresh-token-number-\(state.serial)"), &state)
  }

  private func made(_ token: Secret, _ state: inout State) -> Secret {
    SecretSweep.made(token)
    state.issued.append(token)
    return token
  }

  /// An instant as it stands in a `Date` header (RFC 9110, section 5.6.7).
  public static func dateHeader(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.down))
    let date = CalendarDate(daysSinceEpoch: whole / 86_400)
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let second = whole % 86_400
    let time = [second / 3600, second / 60 % 60, second % 60].map(padded).joined(separator: ":")
    let day = "\(padded(date.day)) \(months[date.month - 1]) \(date.year)"
    return "\(days[whole / 86_400 % 7]), \(day) \(time) GMT"
  }

  private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
    HTTPResponse(
      status: status,
      headers: HTTPHeaders([("Content-Type", "application/json")]),
      body: Array(value.text.utf8)
    )
  }
}

/// Carries out what a plan decided.
struct FaultHand: Sendable {
  let core: BackendCore
  private var desk: FaultDesk { core.operations.faults }

  init(core: BackendCore) { self.core = core }

  /// What becomes of a request; what an operator asks is never disturbed.
  func decide(_ request: FaultRequest, _ log: RequestLog) -> FaultDecision {
    guard !OperatorPath.contains(request.path) else { return FaultDecision() }
    let decision = desk.decide(request)
    for name in decision.names { log("fault", ["fault": name]) }
    return decision
  }

  /// The request as it would be without disguises.
  func unmask(_ request: ServerRequest) -> ServerRequest {
    guard let token = request.bearer.flatMap(desk.token(behind:)) else { return request }
    return request.replacing(bearer: token)
  }

  /// Lets something happen to the server, at a request with this bearer token, if at any.
  func carryOut(_ happening: FaultHappening, bearer: String? = nil, _ log: RequestLog) {
    switch happening {
    case .expire:
      core.faults.endAccessTokens(now: core.time.now)
      core.hub.recheck()
    case .revoke: revoke(bearer, log)
    case .skew(let duration):
      core.time.setSkew(duration.milliseconds)
      core.hub.recheck()
    case .drain(let duration): core.operations.drill(duration)
    case .restartRealtime: core.operations.restartRealtime()
    }
  }

  /// Takes another plan in place of what there was, and brings the clock back.
  func replace(_ plan: FaultPlan, _ log: RequestLog) {
    let immediate = desk.replace(plan)
    carryOut(.skew(.zero), log)
    for happening in immediate { carryOut(happening, log) }
  }

  /// The answer in place of a handler's; nil for a closed connection.
  func answer(_ reply: FaultReply, to request: ServerRequest) -> ServerResponse {
    switch reply {
    case .drop: .lost
    case .status(let status, let retryAfter, let code):
      ServerResponse(
        status,
        Self.body(status, code: code, isKSN: request.path.hasPrefix("/api/")),
        headers: retryAfter.map { [$0.header(now: core.time.now)] } ?? []
      )
    case .html(let status):
      ServerResponse(status, text: Self.page(status), type: "text/html; charset=utf-8")
    case .redirect(let url):
      ServerResponse(307, .of([:]), headers: [HTTPHeader("Location", url)])
    }
  }

  /// Changes a handler's answer.
  func change(_ response: inout ServerResponse, _ changes: [FaultChange]) {
    for change in changes {
      switch change {
      case .cookie(let cookie):
        response.headers.append(HTTPHeader("Set-Cookie", "\(cookie); Path=/"))
      case .strip(let name):
        guard let value = JSONValue(parsing: response.body) else { continue }
        response.body = value.without(name).utf8
      case .disguise(let disguise):
        guard let value = JSONValue(parsing: response.body) else { continue }
        response.body =
          value.mapping(["access_token", "accessToken"]) { token in
            let text = disguise.text(of: token)
            desk.remember(text, for: token)
            return text
          }.utf8
      }
    }
  }

  private func revoke(_ bearer: String?, _ log: RequestLog) {
    let now = core.time.now
    // A request that is let in by nothing has no session to end, nor where the database fails.
    guard let principal: Principal = try? AccessGate(core: core).principal(bearer: bearer),
      let revoked = try? core.database.transaction({ connection in
        try FamilyTable.revoke([principal.sessionID], reason: .revoked, now: now, connection)
      })
    else { return }
    core.publish(revoked, log)
  }

  private static func body(_ status: Int, code: String?, isKSN: Bool) -> JSONValue {
    .of([
      "success": isKSN ? .bool(false) : nil,
      "error": .string("A fault that was asked for (\(status))"),
      "code": .string(code ?? "fault"),
    ])
  }

  private static func page(_ status: Int) -> String {
    """
    <!doctype html>
    <html><head><title>\(status)</title></head>
    <body><h1>\(status == 200 ? "Welcome to the free Wi-Fi" : "Bad gateway")</h1></body></html>

    """
  }
}

extension JSONValue {
  /// The value without a member, wherever it stands.
  func without(_ name: String) -> JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.filter { $0.name != name }
          .map { Member(name: $0.name, value: $0.value.without(name)) }
      )
    case .array(let elements): .array(elements.map { $0.without(name) })
    default: self
    }
  }

  /// The value with the strings of some members changed, wherever they stand.
  func mapping(_ names: Set<String>, _ change: (String) -> String) -> JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.map { member in
          if names.contains(member.name), case .string(let text) = member.value {
            return Member(name: member.name, value: .string(change(text)))
          }
          return Member(name: member.name, value: member.value.mapping(names, change))
        }
      )
    case .array(let elements): .array(elements.map { $0.mapping(names, change) })
    default: self
    }
  }
}

extension TokenDisguise {
  /// The token in this form; its signature fits no more, which the client cannot see.
  func text(of token: String) -> String {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard self != .opaque, parts.count == 3,
      case .object(let members)? = Base64URL.decode(parts[1]).flatMap(JSONValue.init(parsing:))
    else { return Entropy.id("odd") }
    if self == .twoParts { return "\(parts[0]).\(parts[1])" }
    let rest = members.filter { $0.name != "exp" }
    var payload = String(decoding: JSONValue.object(rest).utf8, as: UTF8.self)
    if case .expiry(let text) = self { payload = "{\"exp\":\(text)," + payload.dropFirst() }
    return "\(parts[0]).\(Base64URL.encode(Array(payload.utf8))).\(parts[2])"
  }
}

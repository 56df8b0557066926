/// KSN's API: `/api/auth/*`, `/api/users/*`, `/api/sessions`, `/api/groups/*`.
struct KSNRoutes: Sendable {
  let core: BackendCore

  private var accounts: AccountService { AccountService(core: core) }
  private var sessions: SessionService { SessionService(core: core) }
  private var gate: AccessGate { AccessGate(core: core) }
  private var messages: MessageRoutes {
    MessageRoutes(
      core: core,
      clientMessageIDField: "clientMessageId",
      page: { page in
        KSNShape.data(
          .of([
            "messages": .array(page.messages.map(KSNShape.message)),
            "hasMore": .bool(page.hasMore),
          ])
        )
      },
      message: { KSNShape.data(KSNShape.message($0)) }
    )
  }

  var all: [Route] {
    [
      route("POST", "/api/auth/register", register),
      route("POST", "/api/auth/login", logIn),
      route("POST", "/api/auth/refresh", refresh),
      route("POST", "/api/auth/logout", logOut),
      route("GET", "/api/users/me", me),
      route("POST", "/api/users/me/onboarding/complete", completeOnboarding),
      route("GET", "/api/users/{id}", user),
      route("GET", "/api/sessions", list),
      route("DELETE", "/api/sessions", revokeAll),
      route("DELETE", "/api/sessions/{id}", revoke),
      route("GET", "/api/groups/{group}/messages", messages.history),
      route("POST", "/api/groups/{group}/messages", messages.send),
    ]
  }

  private func route(
    _ method: String,
    _ pattern: String,
    _ handle: @escaping @Sendable (RequestContext) throws -> ServerResponse
  ) -> Route {
    Route(method: method, pattern: pattern, shape: KSNShape(), handle: handle)
  }

  private func register(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let email = body.required("email", FieldRule.email)
    let username = body.required("username", FieldRule.username)
    let password = body.required("password", FieldRule.strongPassword)
    let born = body.required("dateOfBirth") {
      CivilDate($0) == nil ? "Give a date as YYYY-MM-DD" : nil
    }
    let displayName = body.optional("displayName", FieldRule.displayName)
    let device = body.optional("deviceId", FieldRule.deviceID)
    try body.check()
    let dateOfBirth = CivilDate(born)
    let today = CivilDate(milliseconds: core.time.now)
    guard let age = dateOfBirth?.age(on: today), (13...25).contains(age) else {
      throw ServiceFailure.invalidAge(field: "dateOfBirth")
    }
    let form = RegistrationForm(
      email: email,
      username: username,
      password: password,
      dateOfBirth: dateOfBirth,
      displayName: displayName
    )
    let signIn = try accounts.register(form, from: origin(context, device), context.log)
    return signedIn(201, signIn, context)
  }

  private func logIn(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let identifier = body.required("identifier")
    let password = body.required("password", FieldRule.anyPassword)
    let device = body.optional("deviceId", FieldRule.deviceID)
    try body.check()
    let signIn = try accounts.logIn(
      identifier: identifier,
      password: password,
      byUsername: true,
      from: origin(context, device),
      context.log
    )
    return signedIn(200, signIn, context)
  }

  private func refresh(_ context: RequestContext) throws -> ServerResponse {
    let isMobile = context.request.isMobile
    var body = try BodyReader(context.request)
    let cookie = isMobile ? nil : RefreshCookie.token(of: context.request)
    let request = SessionService.RefreshRequest(
      refreshToken: cookie ?? body.required("refreshToken"),
      deviceID: body.optional("deviceId", FieldRule.deviceID),
      attemptID: context.request.requestID,
      dialect: .ksn,
      userAgent: context.request.userAgent
    )
    try body.check()
    let tokens = try sessions.refresh(request, context.log)
    var response = ServerResponse(200, KSNShape.tokens(tokens, isMobile: isMobile))
    response.headers += cookies(tokens, isMobile: isMobile)
    response.isLost = core.faults.takesRefreshAnswer()
    return response
  }

  private func logOut(_ context: RequestContext) throws -> ServerResponse {
    let isMobile = context.request.isMobile
    var body = try BodyReader(context.request)
    let cookie = isMobile ? nil : RefreshCookie.token(of: context.request)
    let token = body.optional("refreshToken") ?? cookie
    try body.check()
    try sessions.logOut(
      refreshToken: token,
      bearer: try gate.loggingOut(context.request, hasRefreshToken: token != nil),
      context.log
    )
    return ServerResponse(
      200,
      .of(["success": .bool(true), "message": .string("Logged out successfully")]),
      headers: isMobile ? [] : [RefreshCookie.cleared]
    )
  }

  private func me(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    return own(try accounts.user(principal))
  }

  private func completeOnboarding(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    return own(try accounts.completeOnboarding(principal))
  }

  private func user(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    let seen = try accounts.user(context.parameters["id"] ?? "", seenBy: principal)
    let user = KSNShape.user(seen.user, seenBy: seen.viewer, now: core.time.now)
    return ServerResponse(200, KSNShape.data(user))
  }

  private func list(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    let found = try sessions.list(of: principal).map { session in
      KSNShape.session(session, isCurrent: session.id == principal.sessionID)
    }
    return ServerResponse(200, KSNShape.data(.of(["sessions": .array(found)])))
  }

  private func revoke(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    try sessions.revoke(context.parameters["id"] ?? "", by: principal, context.log)
    return .noContent
  }

  private func revokeAll(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    let keepsCurrent = try context.request.keepsCurrentSession
    try sessions.revokeAll(of: principal, keepsCurrent: keepsCurrent, context.log)
    return .noContent
  }

  private func own(_ user: UserRecord) -> ServerResponse {
    ServerResponse(200, KSNShape.data(KSNShape.user(user, seenBy: user, now: core.time.now)))
  }

  private func signedIn(
    _ status: Int,
    _ signIn: AccountService.SignIn,
    _ context: RequestContext
  ) -> ServerResponse {
    let user = KSNShape.user(signIn.user, seenBy: signIn.user, now: core.time.now)
    let isMobile = context.request.isMobile
    return ServerResponse(
      status,
      KSNShape.tokens(signIn.tokens, user: user, isMobile: isMobile),
      headers: cookies(signIn.tokens, isMobile: isMobile)
    )
  }

  private func cookies(_ tokens: IssuedTokens, isMobile: Bool) -> [HTTPHeader] {
    guard !isMobile, let token = tokens.refreshToken else { return [] }
    return [RefreshCookie.set(token, lifetime: sessions.refreshLifetime / 1_000)]
  }

  /// The guide's clients name no device; one that does is bound to it.
  private func origin(_ context: RequestContext, _ device: String?) -> SessionService.Origin {
    SessionService.Origin(
      dialect: .ksn,
      deviceID: device,
      userAgent: context.request.userAgent,
      address: context.request.address(named: core.configuration.clientAddressHeader)
    )
  }
}

/// Where web clients get their refresh token: a cookie that no script can read.
enum RefreshCookie {
  private static let name = "refreshToken"
  private static let attributes = "HttpOnly; Secure; SameSite=Strict; Path=/api/auth"

  static func token(of request: ServerRequest) -> String? { request.cookie(name) }

  static func set(_ token: String, lifetime: Int64) -> HTTPHeader {
    HTTPHeader("Set-Cookie", "\(name)=\(token); Max-Age=\(lifetime); \(attributes)")
  }

  static let cleared = HTTPHeader("Set-Cookie", "\(name)=; Max-Age=0; \(attributes)")
}

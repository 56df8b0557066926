/// SkyConnect's API: `/auth/*`, `/sessions`, `/groups/*`.
struct SkyConnectRoutes: Sendable {
  let core: BackendCore

  private var accounts: AccountService { AccountService(core: core) }
  private var sessions: SessionService { SessionService(core: core) }
  private var gate: AccessGate { AccessGate(core: core) }
  private var messages: MessageRoutes {
    MessageRoutes(
      core: core,
      clientMessageIDField: "client_message_id",
      page: { page in
        .of([
          "messages": .array(page.messages.map(SkyConnectShape.message)),
          "has_more": .bool(page.hasMore),
        ])
      },
      message: SkyConnectShape.message
    )
  }

  var all: [Route] {
    [
      route("POST", "/auth/register", register),
      route("POST", "/auth/login", logIn),
      route("POST", "/auth/refresh", refresh),
      route("POST", "/auth/logout", logOut),
      route("GET", "/auth/me", me),
      route("GET", "/sessions", list),
      route("DELETE", "/sessions", revokeAll),
      route("DELETE", "/sessions/{id}", revoke),
      route("GET", "/groups/{group}/messages", messages.history),
      route("POST", "/groups/{group}/messages", messages.send),
    ]
  }

  private func route(
    _ method: String,
    _ pattern: String,
    _ handle: @escaping @Sendable (RequestContext) throws -> ServerResponse
  ) -> Route {
    Route(method: method, pattern: pattern, shape: SkyConnectShape(), handle: handle)
  }

  private func register(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let form = RegistrationForm(
      email: body.required("email", FieldRule.email),
      username: body.required("username", FieldRule.username),
      password: body.required("password", FieldRule.anyPassword),
      dateOfBirth: nil,
      displayName: nil
    )
    let device = body.required("device_id", FieldRule.deviceID)
    try body.check()
    let signIn = try accounts.register(form, from: origin(context, device), context.log)
    return ServerResponse(201, SkyConnectShape.session(signIn))
  }

  private func logIn(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let email = body.required("email")
    let password = body.required("password", FieldRule.anyPassword)
    let device = body.required("device_id", FieldRule.deviceID)
    try body.check()
    let signIn = try accounts.logIn(
      identifier: email,
      password: password,
      byUsername: false,
      from: origin(context, device),
      context.log
    )
    return ServerResponse(200, SkyConnectShape.session(signIn))
  }

  private func refresh(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let request = SessionService.RefreshRequest(
      refreshToken: body.required("refresh_token"),
      deviceID: body.required("device_id", FieldRule.deviceID),
      attemptID: context.request.requestID,
      dialect: .skyConnect,
      userAgent: context.request.userAgent
    )
    try body.check()
    let tokens = try sessions.refresh(request, context.log)
    var response = ServerResponse(200, SkyConnectShape.tokens(tokens))
    response.isLost = core.faults.takesRefreshAnswer()
    return response
  }

  private func logOut(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let token = body.optional("refresh_token")
    try body.check()
    try sessions.logOut(
      refreshToken: token,
      bearer: try gate.loggingOut(context.request, hasRefreshToken: token != nil),
      context.log
    )
    return .noContent
  }

  private func me(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    return ServerResponse(200, SkyConnectShape.user(try accounts.user(principal)))
  }

  private func list(_ context: RequestContext) throws -> ServerResponse {
    let principal = try gate.principal(bearer: context.request.bearer)
    let found = try sessions.list(of: principal).map { session in
      SkyConnectShape.session(session, isCurrent: session.id == principal.sessionID)
    }
    return ServerResponse(200, .of(["sessions": .array(found)]))
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

  private func origin(_ context: RequestContext, _ device: String) -> SessionService.Origin {
    SessionService.Origin(
      dialect: .skyConnect,
      deviceID: device,
      userAgent: context.request.userAgent,
      address: context.request.address(named: core.configuration.clientAddressHeader)
    )
  }
}

extension AccessGate {
  /// Who logs out, as far as an access token tells: an expired one is no reason to refuse a
  /// logout that brings its refresh token.
  func loggingOut(_ request: ServerRequest, hasRefreshToken: Bool) throws -> Principal? {
    guard hasRefreshToken else { return try principal(bearer: request.bearer) }
    return try? principal(bearer: request.bearer)
  }
}

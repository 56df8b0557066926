/// `/inspector`: a page that shows every session and what becomes of it.
struct InspectorRoutes: Sendable {
  let core: BackendCore
  let door: OperatorDoor

  var all: [Route] {
    [
      route("GET", "/inspector") { _ in page() },
      route("GET", "/inspector/app.js") { _ in
        .init(200, text: InspectorPage.script, type: "text/javascript; charset=utf-8")
      },
      route("GET", "/inspector/app.css") { _ in
        .init(200, text: InspectorPage.style, type: "text/css; charset=utf-8")
      },
      route("POST", "/inspector/session", signIn),
      route("GET", "/inspector/state", behindCookie(state)),
      route("GET", "/inspector/events", behindCookie(events)),
    ]
  }

  /// A cookie is sent to every port of a host, so that its name tells two backends apart.
  private var cookieName: String { "inspector_\(door.port)" }

  private func route(
    _ method: String,
    _ pattern: String,
    _ handle: @escaping @Sendable (RequestContext) throws -> ServerResponse
  ) -> Route {
    Route(method: method, pattern: pattern, shape: SkyConnectShape()) { context in
      var response = try door.refusal(of: context.request) ?? handle(context)
      response.headers += Self.protection
      return response
    }
  }

  /// Nothing from elsewhere, nothing inline, no frame around it, and no address told to anyone.
  private static let protection = [
    HTTPHeader(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"
    ),
    HTTPHeader("X-Content-Type-Options", "nosniff"),
    HTTPHeader("X-Frame-Options", "DENY"),
    HTTPHeader("Referrer-Policy", "no-referrer"),
    HTTPHeader("Cross-Origin-Opener-Policy", "same-origin"),
    HTTPHeader("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// The page holds nothing that is secret: what it shows it asks for.
  private func page() -> ServerResponse {
    ServerResponse(200, text: InspectorPage.markup, type: "text/html; charset=utf-8")
  }

  private func signIn(_ context: RequestContext) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let token = body.required("token")
    try body.check()
    guard let cookie = door.access.cookie(for: token) else {
      context.log("inspector.refused", level: .warning)
      return .refused(401, "inspector_token", "Open the address that dev-backend printed at start")
    }
    var response = ServerResponse.noContent
    response.headers.append(
      HTTPHeader(
        "Set-Cookie",
        "\(cookieName)=\(cookie); HttpOnly; SameSite=Strict; Path=/inspector"
      )
    )
    return response
  }

  private func behindCookie(
    _ handle: @escaping @Sendable (RequestContext) throws -> ServerResponse
  ) -> @Sendable (RequestContext) throws -> ServerResponse {
    { context in
      guard door.access.knows(cookie: context.request.cookie(cookieName)) else {
        return .refused(
          401,
          "inspector_token",
          "Open the address that dev-backend printed at start"
        )
      }
      return try handle(context)
    }
  }

  @Sendable
  private func state(_ context: RequestContext) throws -> ServerResponse {
    let search = context.request.query["q"].map { $0.trimmingSpaces() } ?? ""
    let report = try InspectorReport(core: core, search: String(search.prefix(128)))
    return ServerResponse(200, report.json)
  }

  @Sendable
  private func events(_ context: RequestContext) -> ServerResponse {
    let sent = context.request.headers["last-event-id"] ?? context.request.query["after"]
    let after = sent.flatMap { Int($0) } ?? core.operations.journal.newest
    guard let feed = JournalFeed(core.operations.journal, after: after) else {
      return ServerResponse(
        503,
        .of(["error": .string("Too many browsers watch already"), "code": .string("too_many")]),
        headers: [HTTPHeader("Retry-After", "5")]
      )
    }
    return ServerResponse(feed: feed, type: "text/event-stream; charset=utf-8")
  }
}

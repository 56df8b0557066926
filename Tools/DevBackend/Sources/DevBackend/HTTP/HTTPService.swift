/// Answers requests: finds the route, turns failures into answers, writes the log line.
struct HTTPService: Sendable {
  private let core: BackendCore
  private let router: Router

  init(core: BackendCore) {
    self.core = core
    router = Router(
      routes: SkyConnectRoutes(core: core).all + KSNRoutes(core: core).all
        + PublicKeyRoutes(core: core).all + [Self.health],
      shapes: [("/api/", KSNShape()), ("/", SkyConnectShape())]
    )
  }

  /// The answer; blocks for as long as the database and password hashing take.
  func respond(to request: ServerRequest) -> ServerResponse {
    let requestID = request.requestID ?? Entropy.id("req")
    let log = core.log(requestID: requestID)
    let clock = ContinuousClock()
    let start = clock.now
    let (route, answer) = answer(request, log)
    var response = answer
    if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
      // The answers hold tokens and what belongs to one user.
      response.headers.append(HTTPHeader("Cache-Control", "no-store"))
    }
    response.headers += [
      HTTPHeader("Date", Timestamp.http(core.time.now)),
      HTTPHeader("X-Request-Id", requestID),
    ]
    core.faults.countRequest("\(request.method) \(route ?? "")")
    log(
      "request",
      level: response.status >= 500 ? .error : .info,
      [
        "method": request.method, "route": route ?? "-", "status": String(response.status),
        "ms": String(start.duration(to: clock.now).milliseconds),
        "client": request.headers["x-client-version"].map { String($0.prefix(64)) },
        "lost": response.isLost ? "true" : nil,
      ]
    )
    return response
  }

  /// The answer to a body that is too large, or that stopped coming.
  func refusal(_ failure: ServiceFailure, of request: ServerRequest) -> ServerResponse {
    let requestID = request.requestID ?? Entropy.id("req")
    let log = core.log(requestID: requestID)
    log("request.refused", ["method": request.method, "status": String(failure.status)])
    var response = response(failure, router.shape(of: request.path))
    response.headers += [
      HTTPHeader("Cache-Control", "no-store"),
      HTTPHeader("Date", Timestamp.http(core.time.now)),
      HTTPHeader("X-Request-Id", requestID),
    ]
    return response
  }

  /// The route's pattern and the answer.
  ///
  /// The pattern is what is logged, since a path may hold a session id, which is a secret in
  /// the opaque model.
  private func answer(
    _ request: ServerRequest,
    _ log: RequestLog
  ) -> (route: String?, response: ServerResponse) {
    switch router.destination(of: request) {
    case .failure(let failure, let shape): return (nil, response(failure, shape))
    case .route(let route, let parameters):
      let context = RequestContext(request: request, parameters: parameters, log: log)
      do {
        return (route.pattern, try route.handle(context))
      } catch let failure as ServiceFailure {
        return (route.pattern, response(failure, route.shape))
      } catch {
        log("request.failed", level: .error, ["error": "\(error)"])
        // A database that fails may work again in a moment; nothing was changed.
        let failure: ServiceFailure = error is BackendError ? .unavailable : .internalFault
        return (route.pattern, response(failure, route.shape))
      }
    }
  }

  private func response(
    _ failure: ServiceFailure,
    _ shape: any FailureShape
  ) -> ServerResponse {
    ServerResponse(failure.status, shape.body(of: failure), headers: failure.headers)
  }

  private static let health = Route(
    method: "GET",
    pattern: "/healthz",
    shape: SkyConnectShape()
  ) { _ in
    ServerResponse(200, .of(["status": .string("ok")]))
  }
}

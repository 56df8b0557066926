/// Answers requests: finds the route, turns failures into answers, writes the log line.
struct HTTPService: Sendable {
  private let core: BackendCore
  private let router: Router
  private let faults: FaultHand

  /// For what belongs to no request.
  var log: RequestLog { core.log(requestID: nil) }

  var lifecycle: Lifecycle { core.operations.lifecycle }

  /// What answers on a port, which stands in the names under which an operator may ask.
  init(core: BackendCore, port: UInt16) {
    self.core = core
    faults = FaultHand(core: core)
    let door = OperatorDoor(access: core.operations.access, port: port)
    var routes = SkyConnectRoutes(core: core).all
    routes += KSNRoutes(core: core).all
    routes += PublicKeyRoutes(core: core).all
    routes += FileRoutes(core: core).all
    routes += HealthRoutes(core: core).all
    routes += AdminRoutes(core: core, door: door).all
    routes += KeyRoutes(core: core, door: door).all
    routes += InspectorRoutes(core: core, door: door).all
    router = Router(
      routes: routes,
      shapes: [("/api/", KSNShape()), ("/", SkyConnectShape())]
    )
  }

  /// The answer; blocks for as long as the database and password hashing take.
  func respond(to request: ServerRequest) -> ServerResponse {
    let (log, identity) = begin(request)
    let clock = ContinuousClock()
    let start = clock.now
    let (route, answer) = answerInTrouble(request, log)
    var response = answer
    if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
      // The answers hold tokens and what belongs to one user.
      response.headers.append(HTTPHeader("Cache-Control", "no-store"))
    }
    response.headers.append(HTTPHeader("Date", Timestamp.http(core.time.now)))
    response.headers += identity
    if lifecycle.isDraining { response.headers.append(HTTPHeader("Connection", "close")) }
    core.faults.countRequest("\(request.method) \(route ?? "")")
    let duration = start.duration(to: clock.now)
    core.operations.metrics.observe(
      method: request.method,
      route: route,
      status: response.status,
      duration: duration
    )
    log(
      "request",
      level: response.status >= 500 ? .error : .info,
      [
        "method": request.method, "route": route ?? "-", "status": String(response.status),
        "ms": String(duration.milliseconds),
        "client": request.headers["x-client-version"].map { String($0.prefix(64)) },
        "lost": response.isLost ? "true" : nil,
        "cookie": request.headers["cookie"] == nil ? nil : "sent",
      ]
    )
    return response
  }

  /// The answer to what is refused before it is read: a body that is too large, or a head that
  /// says in two ways where its body ends.
  func refusal(_ failure: ServiceFailure, of request: ServerRequest) -> ServerResponse {
    let (log, identity) = begin(request)
    log(
      "request.refused",
      level: .warning,
      ["method": request.method, "status": String(failure.status), "why": failure.reason]
    )
    core.operations.metrics.observe(
      method: request.method,
      route: nil,
      status: failure.status,
      duration: .zero
    )
    var response = response(failure, router.shape(of: request.path))
    response.headers += [
      HTTPHeader("Cache-Control", "no-store"),
      HTTPHeader("Date", Timestamp.http(core.time.now)),
    ]
    response.headers += identity
    return response
  }

  /// The log of a request, and the headers that tell its id: the client's, or one made here.
  private func begin(_ request: ServerRequest) -> (log: RequestLog, identity: [HTTPHeader]) {
    let requestID = request.requestID ?? Entropy.id("req")
    let log = core.log(requestID: requestID)
    var identity = [HTTPHeader("X-Request-Id", requestID)]
    if let fault = request.requestIDFault {
      log.refusedID(fault)
      identity.append(HTTPHeader(RequestIDFault.header, fault.rawValue))
    }
    return (log, identity)
  }

  /// The route's pattern and the answer, with what goes wrong on purpose.
  private func answerInTrouble(
    _ request: ServerRequest,
    _ log: RequestLog
  ) -> (route: String?, response: ServerResponse) {
    let request = faults.unmask(request)
    if lifecycle.isDraining, !OperatorPath.contains(request.path) {
      return (nil, response(.unavailable, router.shape(of: request.path)))
    }
    let asked = FaultRequest(method: request.method, path: request.path)
    let decision = faults.decide(asked, log)
    core.operations.faults.wait(decision.delay)
    for happening in decision.happenings {
      faults.carryOut(happening, bearer: request.bearer, log)
    }
    if let reply = decision.reply {
      return (router.pattern(of: request), faults.answer(reply, to: request))
    }
    var (route, response) = answer(request, log)
    faults.change(&response, decision.changes)
    core.operations.faults.wait(decision.hold)
    if decision.isLost { response.isLost = true }
    return (route, response)
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
}

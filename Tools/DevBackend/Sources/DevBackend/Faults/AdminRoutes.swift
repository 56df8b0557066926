/// `/admin/faults`: what goes wrong, changed while the backend runs.
struct AdminRoutes: Sendable {
  let core: BackendCore
  let door: OperatorDoor

  private static let path = "/admin/faults"

  var all: [Route] {
    [
      route("GET") { _ in list() },
      route("POST") { context in
        try change(context) { plan throws(FaultPlanError) in
          for happening in try core.operations.faults.add(plan) {
            FaultHand(core: core).carryOut(happening, context.log)
          }
        }
      },
      route("PUT") { context in
        try change(context) { plan in FaultHand(core: core).replace(plan, context.log) }
      },
      route("DELETE") { context in
        FaultHand(core: core).replace(FaultPlan(), context.log)
        return .noContent
      },
    ]
  }

  private func route(
    _ method: String,
    _ handle: @escaping @Sendable (RequestContext) throws -> ServerResponse
  ) -> Route {
    Route(method: method, pattern: Self.path, shape: SkyConnectShape()) { context in
      try door.refusalOfAdmin(context.request) ?? handle(context)
    }
  }

  private func change(
    _ context: RequestContext,
    _ take: (FaultPlan) throws(FaultPlanError) -> Void
  ) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let text = body.required("faults")
    try body.check()
    do {
      try take(try FaultPlan(text))
      context.log("faults.changed", ["faults": text])
    } catch {
      body.note("faults", error.message)
      try body.check()
    }
    return list()
  }

  private func list() -> ServerResponse {
    let rows = core.operations.faults.rows.map { row in
      JSONValue.of([
        "fault": .string(row.text), "matched": .integer(Int64(row.matched)),
        "applied": .integer(Int64(row.applied)),
      ])
    }
    // A skew that a request brought on lasts beyond its rule's count.
    let skew = core.time.skew
    return ServerResponse(
      200,
      .of(["faults": .array(rows), "clock_skew_ms": skew == 0 ? nil : .integer(skew)])
    )
  }
}

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
          try core.operations.faults.add(plan)
        }
      },
      route("PUT") { context in
        try change(context) { plan in core.operations.faults.replace(plan) }
      },
      route("DELETE") { _ in
        _ = core.operations.faults.replace(FaultPlan())
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
    _ take: (FaultPlan) throws(FaultPlanError) -> [FaultHappening]
  ) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let text = body.required("faults")
    try body.check()
    do {
      let immediate = try take(try FaultPlan(text))
      context.log("faults.changed", ["faults": text])
      for happening in immediate { FaultHand(core: core).carryOut(happening, context.log) }
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
    return ServerResponse(200, .of(["faults": .array(rows)]))
  }
}

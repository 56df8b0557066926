/// `/admin/keys`: the signing keys, and a new one, for an operator on this machine.
struct KeyRoutes: Sendable {
  let core: BackendCore
  let door: OperatorDoor

  var all: [Route] {
    [
      route("GET") { _ in list() },
      route("POST") { context in
        try core.changeKeys(try wish(of: context.request), context.log)
        return list()
      },
    ]
  }

  private func route(
    _ method: String,
    _ handle: @escaping @Sendable (RequestContext) throws -> ServerResponse
  ) -> Route {
    Route(method: method, pattern: "/admin/keys", shape: SkyConnectShape()) { context in
      try door.refusalOfAdmin(context.request) ?? handle(context)
    }
  }

  /// `?old=revoke` gives up the older keys, and every token that they signed.
  private func wish(of request: ServerRequest) throws -> SigningKeys.Wish {
    switch request.query["old"] {
    case nil: return .newKey
    case "revoke": return .newKeyOnly
    default:
      throw ServiceFailure.validation([
        FieldFault(field: "old", message: "old must be revoke, or left out")
      ])
    }
  }

  private func list() -> ServerResponse {
    let (ring, now) = (core.keys.current.ring, core.time.now)
    let signing = ring.schedule.signing(at: now)
    let keys = ring.schedule.entries.map { entry in
      let state =
        entry.id == signing ? "signing" : entry.signsFrom > now ? "announced" : "verifying"
      return JSONValue.of([
        "kid": .string(entry.id),
        "signs_from": .string(Timestamp.rfc3339(entry.signsFrom)),
        "state": .string(state),
      ])
    }
    return ServerResponse(200, .of(["keys": .array(keys)]))
  }
}

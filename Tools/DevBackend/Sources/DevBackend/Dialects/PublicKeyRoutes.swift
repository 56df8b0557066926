/// The keys that verify access tokens, for services that do so themselves (RFC 7517).
struct PublicKeyRoutes: Sendable {
  let core: BackendCore

  var all: [Route] {
    [
      Route(
        method: "GET",
        pattern: "/.well-known/jwks.json",
        shape: SkyConnectShape(),
        handle: keys
      )
    ]
  }

  private func keys(_ context: RequestContext) throws -> ServerResponse {
    var response = ServerResponse(200, core.keys.current.ring.publicKeys(at: core.time.now))
    response.headers = [
      HTTPHeader("Content-Type", "application/jwk-set+json"),
      HTTPHeader("Cache-Control", "public, max-age=\(core.keys.publicLifetime)"),
    ]
    return response
  }
}

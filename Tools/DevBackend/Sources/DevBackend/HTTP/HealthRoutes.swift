/// Whether the instance lives, whether it takes work, and what it counted.
struct HealthRoutes: Sendable {
  let core: BackendCore

  var all: [Route] {
    [
      route("/healthz") { _ in ServerResponse(200, .of(["status": .string("ok")])) },
      route("/readyz") { _ in readiness() },
      route("/metrics") { _ in metrics() },
    ]
  }

  private func route(
    _ pattern: String,
    _ handle: @escaping @Sendable (RequestContext) -> ServerResponse
  ) -> Route {
    Route(method: "GET", pattern: pattern, shape: SkyConnectShape(), handle: handle)
  }

  /// Ready is who can do all that clients ask: read the database, and hear of revocations.
  private func readiness() -> ServerResponse {
    let problem: String? =
      if core.operations.lifecycle.isDraining {
        "draining"
      } else if !core.hearsRevocations {
        "revocations are not heard"
      } else if (try? core.database.transaction({ try $0.run("SELECT 1").count })) != 1 {
        "the database does not answer"
      } else {
        nil
      }
    guard let problem else { return ServerResponse(200, .of(["status": .string("ready")])) }
    return ServerResponse(
      503,
      .of(["status": .string("not ready"), "reason": .string(problem)]),
      headers: [HTTPHeader("Retry-After", "1")]
    )
  }

  private func metrics() -> ServerResponse {
    let lifecycle = core.operations.lifecycle
    let text = core.operations.metrics.text(gauges: [
      ("realtime_streams", "Realtime streams that are open", Int64(core.hub.count)),
      ("http_in_flight", "Requests that are not answered yet", Int64(lifecycle.inFlight)),
      ("draining", "1 while new work is refused", lifecycle.isDraining ? 1 : 0),
      ("deaf", "1 while revocations are not heard", core.hearsRevocations ? 0 : 1),
    ])
    return ServerResponse(200, text: text, type: MetricsText.contentType)
  }
}

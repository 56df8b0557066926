import Foundation
import GRPC
import Testing

@testable import DevBackend

/// A clean start and stop.
@Suite struct LifecycleTests {
  @Test func `who stops answers what it has in hand, and refuses what comes`() async throws {
    try await Fixture.run { fixture in
      try fixture.inspector.addFaults(FaultPlan("delay:1h,path=/auth/me,times=1"))
      async let inHand = fixture.client.send("GET", "/auth/me")
      await fixture.log.waitFor(" fault ")
      async let stopping: Void = fixture.backend.stop(within: .seconds(600))
      await fixture.log.waitFor(" draining ")
      let ready = try await fixture.client.send("GET", "/readyz")
      #expect(ready.status == 503 && ready.headers["connection"] == "close")
      let refused = try await fixture.client.send("GET", "/api/users/me")
      #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
      #expect(refused.json["code"] == .string("unavailable"))
      fixture.inspector.core.operations.faults.endWaits()
      #expect(try await inHand.status == 401)
      await stopping
      #expect(fixture.log.text.contains("stopped clean=true"))
      await #expect(throws: TestClient.NoAnswer.self) {
        try await fixture.client.send("GET", "/healthz")
      }
    }
  }

  @Test func `what takes too long is cut off`() async throws {
    try await Fixture.run { fixture in
      try fixture.inspector.addFaults(FaultPlan("delay:1h,path=/auth/me"))
      async let inHand = try? fixture.client.send("GET", "/auth/me")
      await fixture.log.waitFor(" fault ")
      await fixture.backend.stop(within: .milliseconds(1))
      #expect(fixture.log.text.contains("stopped clean=false"))
      _ = await inHand
    }
  }

  @Test func `streams end with UNAVAILABLE, so that clients come again`() async throws {
    try await Fixture.run { fixture in
      let caller = try fixture.caller(try await fixture.registerSky().string("access_token"))
      let call = try await caller.subscribe()
      await fixture.log.waitFor("stream.subscribed")
      async let stopping: Void = fixture.backend.stop(within: .seconds(600))
      #expect(await call.ending() == .unavailable)
      await stopping
    }
  }

  @Test func `ready is who can read the database`() async throws {
    try await Fixture.run { fixture in
      #expect(try await fixture.client.send("GET", "/readyz").json.string("status") == "ready")
      fixture.inspector.core.database.close()
      let answer = try await fixture.client.send("GET", "/readyz")
      #expect(answer.status == 503)
      #expect(answer.json.string("reason") == "the database does not answer")
      #expect(try await fixture.client.send("GET", "/healthz").status == 200)
    }
  }

  @Test func `a stopped backend takes work again when it starts`() async throws {
    let backend = DevBackend(.testing())
    let ports = try await backend.start()
    await backend.stop(within: .seconds(1))
    #expect(try await backend.start() == ports)
    let answer = try await TestClient(port: ports.http).send("GET", "/readyz")
    #expect(answer.status == 200)
    await backend.stop()
  }

  @Test func `a signal lets a request in hand end, a second one does not`() async throws {
    let program = try Executable(
      "--port=0",
      "--realtime-port=0",
      "--json",
      "--log-format=json",
      "--faults=delay:1h,path=/auth/me",
      "--drain-seconds=3600"
    )
    let ports = try await program.listening()
    let client = TestClient(port: ports.http)
    async let inHand = try? client.send("GET", "/auth/me")
    // Counted before it waits.
    var inFlight = false
    while !inFlight {
      let text = try await client.send("GET", "/metrics").text
      inFlight = text.contains("dev_backend_http_in_flight 2\n")
    }
    kill(program.process.processIdentifier, SIGTERM)
    while try await client.send("GET", "/readyz").status == 200 {}
    #expect(program.process.isRunning)
    kill(program.process.processIdentifier, SIGTERM)
    let outcome = try await program.outcome()
    #expect(outcome.status == 1)
    _ = await inHand
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count > 3)
    for line in lines { #expect(JSONValue(parsing: Array(line.utf8)) != nil, "\(line)") }
    #expect(lines.contains { $0.contains(#""event":"draining""#) })
  }
}

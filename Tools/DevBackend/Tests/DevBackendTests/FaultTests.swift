import Foundation
import GRPC
import ProtobufWire
import Testing

@testable import DevBackend

/// Faults, as a client of the running backend meets them.
@Suite struct FaultTests {
  @Test func `a lost answer was committed, and its resend gets a working pair`() async throws {
    try await Fixture.run {
      $0.faults = plan("lose,path=/auth/refresh,times=1")
    } _: { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      await #expect(throws: TestClient.NoAnswer.self) {
        try await fixture.refreshSky(token, attempt: "one")
      }
      #expect(try await fixture.refreshSky(token, attempt: "one").status == 200)
      #expect(fixture.log.events(of: "one").filter { $0 == "fault" } == ["fault"])
      #expect(try await fixture.inspector.sessions(of: "ada@example.com").first?.resends == 1)
    }
  }

  @Test func `a dropped request changes nothing`() async throws {
    try await Fixture.run {
      $0.faults = plan("drop,path=/auth/refresh,times=1")
    } _: { fixture in
      let token = try await fixture.registerSky().string("refresh_token")
      await #expect(throws: TestClient.NoAnswer.self) { try await fixture.refreshSky(token) }
      #expect(try await fixture.inspector.sessions(of: "ada@example.com").first?.rotations == 0)
      #expect(try await fixture.refreshSky(token).status == 200)
    }
  }

  @Test func `answers come from a gateway, and say when to come again`() async throws {
    try await Fixture.run { fixture in
      let plan =
        "html,times=1;html:200,times=1;status:429,retry-after=60,times=1;"
        + "status:403,code=invalid_grant,times=1;redirect:http://localhost:1/,times=1"
      try fixture.inspector.addFaults(FaultPlan(plan))
      var answers: [TestAnswer] = []
      for path in ["/auth/me", "/auth/me", "/auth/me", "/api/users/me", "/auth/me", "/auth/me"] {
        answers.append(try await fixture.client.send("GET", path))
      }
      #expect(answers.map(\.status) == [502, 200, 429, 403, 307, 401])
      #expect(answers[0].headers["content-type"] == "text/html; charset=utf-8")
      #expect(answers[1].text.contains("<!doctype html>"))
      #expect(answers[2].headers["retry-after"] == "60")
      #expect(answers[3].json["success"] == .bool(false))
      #expect(answers[3].json["code"] == .string("invalid_grant"))
      #expect(answers[4].headers["location"] == "http://localhost:1/")
    }
  }

  @Test func `a token in disguise is accepted as what it stands for`() async throws {
    try await Fixture.run {
      $0.faults = plan("disguise:two-parts;strip:expires_in")
    } _: { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("access_token")
      #expect(token.split(separator: ".").count == 2)
      #expect(session["expires_in"] == nil)
      #expect(try await fixture.client.send("GET", "/auth/me", bearer: token).status == 200)
      // In a call of the realtime side too.
      let caller = try fixture.caller(token)
      #expect(try await caller.send("hello", id: "m1").sequence == 1)
    }
  }

  @Test func `tokens expire and sessions end just before a request`() async throws {
    try await Fixture.run { fixture in
      let session = try await fixture.registerSky()
      let token = session.string("access_token")
      try fixture.inspector.addFaults(FaultPlan("expire,path=/auth/me,times=1"))
      let expired = try await fixture.client.send("GET", "/auth/me", bearer: token)
      #expect(expired.json["code"] == .string("token_expired"))
      let pair = try await fixture.refreshSky(session.string("refresh_token")).json
      try fixture.inspector.addFaults(FaultPlan("revoke,path=/auth/me"))
      let revoked = try await fixture.client.send(
        "GET",
        "/auth/me",
        bearer: pair.string("access_token")
      )
      #expect(revoked.json["code"] == .string("session_revoked"))
    }
  }

  @Test func `the server's clock is moved at once`() async throws {
    try await Fixture.run {
      $0.clock = BackendClock { 784_111_777_000 }
    } _: { fixture in
      try fixture.inspector.addFaults(FaultPlan("skew:-1h"))
      let answer = try await fixture.client.send("GET", "/healthz")
      #expect(answer.headers["date"] == "Sun, 06 Nov 1994 07:49:37 GMT")
    }
  }

  @Test func `a wait ends when the backend stops`() async throws {
    try await Fixture.run {
      $0.faults = plan("delay:1h,path=/auth/me")
    } _: { fixture in
      async let answer = try? fixture.client.send("GET", "/auth/me")
      await fixture.log.waitFor(" fault ")
      await fixture.backend.stop()
      _ = await answer
    }
  }

  @Test func `the realtime side restarts on its port, and its streams end with UNAVAILABLE`()
    async throws
  {
    try await Fixture.run { fixture in
      let token = try await fixture.registerSky().string("access_token")
      let call = try await fixture.caller(token).subscribe()
      await fixture.log.waitFor("stream.subscribed")
      try fixture.inspector.addFaults(FaultPlan("restart-realtime"))
      #expect(await call.ending() == .unavailable)
      await fixture.log.waitFor("realtime.restarted")
      #expect(try await fixture.caller(token).send("again", id: "m1").sequence == 1)
    }
  }

  @Test func `realtime calls fail as asked`() async throws {
    try await Fixture.run {
      $0.faults = plan("status:401,path=*/Send,times=1;lose,path=*/Send,times=1,after=1")
    } _: { fixture in
      let caller = try fixture.caller(try await fixture.registerSky().string("access_token"))
      let codes = [
        await statusCode { _ = try await caller.send("a", id: "m1") },
        await statusCode { _ = try await caller.send("a", id: "m1") },
      ]
      #expect(codes == [.unauthenticated, .unavailable])
      // The lost answer was to a message that was stored.
      #expect(try await caller.send("b", id: "m2").sequence == 2)
    }
  }

  @Test func `a drill refuses work for a while, but not the operator`() async throws {
    try await Fixture.run { fixture in
      try fixture.inspector.addFaults(FaultPlan("drain:1h"))
      let refused = try await fixture.client.send("GET", "/api/users/me")
      #expect(refused.status == 503)
      #expect(refused.headers["retry-after"] == "1" && refused.headers["connection"] == "close")
      #expect(refused.json["success"] == .bool(false))
      #expect(try await fixture.client.send("GET", "/healthz").status == 200)
      let ready = try await fixture.client.send("GET", "/readyz")
      #expect(ready.status == 503 && ready.json.string("reason") == "draining")
    }
  }

  @Test func `faults are changed while it runs, by whoever has the token`() async throws {
    try await Fixture.run { fixture in
      let admin = fixture.inspector.adminToken
      let host = ["Host": "127.0.0.1:\(fixture.client.port)"]
      func ask(_ method: String, _ plan: String? = nil) async throws -> TestAnswer {
        let body = plan.map { JSONValue.of(["faults": .string($0)]) }
        return try await fixture.client.send(
          method,
          "/admin/faults",
          body,
          bearer: admin,
          headers: host
        )
      }
      let added = try await ask("POST", "status:503,path=/auth/me")
      #expect(added.status == 200)
      #expect(try await fixture.client.send("GET", "/auth/me").status == 503)
      let listed = try await ask("GET").text
      #expect(listed.contains(#"{"fault":"status:503,path=/auth/me","matched":1,"applied":1}"#))
      let wrong = try await ask("POST", "status:wrong")
      #expect(wrong.status == 400 && wrong.text.contains("is no status from 300 to 599"))
      #expect(try await ask("PUT", "html,path=/auth/me").status == 200)
      #expect(try await fixture.client.send("GET", "/auth/me").status == 502)
      #expect(try await ask("DELETE").status == 204)
      #expect(try await fixture.client.send("GET", "/auth/me").status == 401)
    }
  }

  @Test func `a moved clock is listed while it lasts, and is moved anew or brought back`()
    async throws
  {
    try await Fixture.run {
      $0.clock = BackendClock { 784_111_777_000 }
    } _: { fixture in
      func ask(_ method: String, _ plan: String? = nil) async throws -> TestAnswer {
        try await fixture.client.send(
          method,
          "/admin/faults",
          plan.map { .of(["faults": .string($0)]) },
          bearer: fixture.inspector.adminToken,
          headers: ["Host": "127.0.0.1:\(fixture.client.port)"]
        )
      }
      let steps: [(method: String, plan: String?, faults: [String], skew: Int64)] = [
        ("POST", "skew:-1h", ["skew:-1h"], -3_600_000),
        ("POST", "skew:2h;html,path=/none", ["skew:2h", "html,path=/none"], 7_200_000),
        ("POST", "skew:1s;skew:3s", ["html,path=/none", "skew:3s"], 3_000),
        // The same once more is the same.
        ("POST", "skew:3s", ["html,path=/none", "skew:3s"], 3_000),
        ("POST", "skew:0s", ["html,path=/none"], 0),
        ("POST", "skew:5s", ["html,path=/none", "skew:5s"], 5_000),
        ("PUT", "skew:7s", ["skew:7s"], 7_000),
        ("PUT", "html,path=/none", ["html,path=/none"], 0),
        ("POST", "skew:1h", ["html,path=/none", "skew:1h"], 3_600_000),
        ("DELETE", nil, [], 0),
      ]
      for step in steps {
        #expect(try await ask(step.method, step.plan).status == (step.plan == nil ? 204 : 200))
        let list = try await ask("GET").json
        guard case .array(let rows)? = list["faults"] else {
          Issue.record("no list")
          return
        }
        #expect(rows.map { $0.string("fault") } == step.faults)
        #expect(list["clock_skew_ms"] == (step.skew == 0 ? nil : .integer(step.skew)))
        #expect(fixture.inspector.core.time.now == 784_111_777_000 + step.skew)
      }
      // One that a request brings on is over with the rest too.
      _ = try await ask("POST", "skew:1h,path=/auth/me")
      for _ in 1...2 { _ = try await fixture.client.send("GET", "/auth/me") }
      #expect(try await ask("GET").json["clock_skew_ms"] == .integer(3_600_000))
      fixture.inspector.clearFaults()
      #expect(fixture.inspector.core.time.now == 784_111_777_000)
    }
  }

  @Test(arguments: [
    ([:], 401), (["Authorization": "Bearer wrong"], 401), (["Host": "evil.example"], 421),
    (["Host": "127.0.0.1:1"], 421), (["Origin": "http://evil.example"], 403),
    (["Origin": "null"], 403), (["X-Forwarded-For": "10.0.0.1"], 403),
    (["Forwarded": "for=10.0.0.1"], 403),
  ])
  func `nobody else is let in`(headers: [String: String], status: Int) async throws {
    try await Fixture.run { fixture in
      var sent = ["Host": "127.0.0.1:\(fixture.client.port)"]
      if headers["Authorization"] == nil, !headers.isEmpty {
        sent["Authorization"] = "Bearer \(fixture.inspector.adminToken)"
      }
      sent.merge(headers) { $1 }
      let answer = try await fixture.client.send("DELETE", "/admin/faults", headers: sent)
      #expect(answer.status == status)
    }
  }
}

/// The plan of a text that is right.
private func plan(_ text: String) -> FaultPlan {
  do {
    return try FaultPlan(text)
  } catch {
    Issue.record("\(error)")
    return FaultPlan()
  }
}

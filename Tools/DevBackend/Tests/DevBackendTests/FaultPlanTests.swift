import Testing

@testable import DevBackend

/// What goes wrong on purpose, as a text and request by request: pure.
@Suite struct FaultPlanTests {
  private static let refresh = FaultRequest(method: "POST", path: "/auth/refresh")
  private static let me = FaultRequest(method: "GET", path: "/auth/me")

  private func decision(_ plan: String, _ request: FaultRequest = refresh) throws -> FaultDecision {
    var plan = try FaultPlan(plan)
    return plan.decide(request)
  }

  @Test(arguments: [
    ("delay:500ms", FaultAction.delay(.milliseconds(500))),
    ("hold:2s", .hold(.seconds(2))), ("delay:5m", .delay(.seconds(300))),
    ("drop", .drop), ("lose", .lose), ("status:503", .status(503)), ("html", .html(502)),
    ("html:200", .html(200)), ("redirect:http://localhost:1/x", .redirect("http://localhost:1/x")),
    ("strip:refresh_token", .strip("refresh_token")), ("disguise:opaque", .disguise(.opaque)),
    ("disguise:no-exp", .disguise(.withoutExpiry)), ("disguise:two-parts", .disguise(.twoParts)),
    ("disguise:exp=1e300", .disguise(.expiry("1e300"))),
    (#"disguise:exp="1700000000""#, .disguise(.expiry(#""1700000000""#))),
    ("cookie:trap=1", .cookie("trap=1")), ("expire", .happening(.expire)),
    ("revoke,path=/auth/me", .happening(.revoke)),
    ("skew:-1h", .happening(.skew(.seconds(-3_600)))),
    ("skew:3d", .happening(.skew(.seconds(259_200)))), ("drain", .happening(.drain(.seconds(5)))),
    ("restart-realtime", .happening(.restartRealtime)),
  ])
  func `each fault can be written`(text: String, action: FaultAction) throws {
    let plan = try FaultPlan(" \(text) ; ")
    #expect(plan.rules.map(\.action) == [action])
    #expect(FaultPlan.faults.contains { $0.name == action.name })
  }

  @Test func `the guide's own examples can be read`() throws {
    for fault in FaultPlan.faults {
      let example = fault.form.replacing("URL", with: "http://localhost/")
      #expect(try FaultPlan(example).rules.first?.action.name == fault.name)
      #expect(FaultPlan.guide.contains(fault.form))
    }
  }

  @Test(arguments: [
    ("dealy:2s", "no fault is called 'dealy'; there are delay, hold,"),
    ("delay", "delay needs a time, such as 500ms, 2s, 5m, 1h or 3d, after a colon"),
    ("delay:2", "'2' is no time to wait; write 500ms, 2s"),
    ("delay:-2s", "'-2s' is no time to wait"),
    ("delay:99999999999999999d", "is no time"),
    ("skew:soon", "'soon' is no time; write 500ms"),
    ("drop:1", "drop takes no value"),
    ("status:99", "'99' is no status from 300 to 599; write status:503"),
    ("status:200", "'200' is no status from 300 to 599"),
    ("html:ok", "'ok' is no status from 200 to 599; write html:502"),
    ("redirect:ftp://x", "'ftp://x' is no address; write redirect:http://localhost:4001/"),
    ("disguise:odd", "'odd' is no disguise; there are exp=…, no-exp, opaque and two-parts"),
    ("disguise:exp={", "'{' is no JSON value"),
    ("cookie:trap", "'trap' is no cookie; write cookie:trap=1"),
    ("revoke", "say whose session: revoke,path=/auth/me"),
    ("lose,times", "'times' is no condition; write path=/auth/refresh or times=1"),
    ("lose,times=0", "times must be a whole number from 1 on, not '0'"),
    ("lose,path=auth", "a path begins with / or *, not with 'a'"),
    ("lose,probability=2", "probability must be above 0 and at most 1, not '2'"),
    ("lose,often=2", "no condition is called 'often'; there are path, method,"),
    ("lose,retry-after=3", "only a status has a retry-after"),
    ("status:429,retry-after=soon", "retry-after is seconds, 30, or a date"),
    ("lose,code=x", "only a status has a code"),
  ])
  func `a plan that is wrong says what would be right`(text: String, message: String) {
    let error = #expect(throws: FaultPlanError.self) { try FaultPlan(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `there is an end to faults`() throws {
    let many = [String](repeating: "drop", count: FaultPlan.maximumRules).joined(separator: ";")
    var plan = try FaultPlan(many)
    #expect(throws: FaultPlanError.self) { try plan.add(FaultPlan("drop")) }
    #expect(plan.rules.count == FaultPlan.maximumRules)
  }

  @Test(arguments: [
    ("/auth/refresh", "/auth/refresh", true), ("/auth/refresh", "/auth/refresh/", false),
    ("/auth/*", "/auth/me", true), ("/auth/*", "/auth", false), ("*", "/", true),
    ("*/me", "/api/users/me", true), ("*/me", "/api/users/me/x", false),
    ("/api/*/messages", "/api/groups/general/messages", true), ("/a*a", "/a", false),
    ("/*/b/*/d", "/a/b/c/d", true), ("/*/b/*/d", "/a/c/b/d", false), ("**", "/x", true),
    ("/groups/*/messages*", "/groups/é/messages", true),
  ])
  func `a star stands for any characters`(pattern: String, path: String, fits: Bool) {
    #expect(PathPattern(pattern).matches(path) == fits)
  }

  @Test func `conditions decide which requests it hits`() throws {
    var plan = try FaultPlan("drop,path=/auth/*,method=post,after=1,times=2")
    let hits = (0..<5).map { _ in plan.decide(Self.refresh).reply == .drop }
    #expect(hits == [false, true, true, false, false])
    #expect(plan.decide(Self.me) == FaultDecision())
  }

  @Test func `a seed decides the same way again`() throws {
    func hits(_ seed: Int) throws -> [Bool] {
      var plan = try FaultPlan("drop,probability=0.3,seed=\(seed)")
      return (0..<1_000).map { _ in plan.decide(Self.me).reply != nil }
    }
    #expect(try hits(7) == hits(7))
    #expect(try hits(7) != hits(8))
    #expect((200...400).contains(try hits(7).count { $0 }))
  }

  @Test func `faults add up, and the first answer counts`() throws {
    let plan = "delay:1s;delay:2s;status:503,times=1;html,times=1;hold:1s;lose;strip:a"
    let decision = try decision(plan)
    #expect(decision.delay == .seconds(3))
    #expect(decision.reply == .status(503, retryAfter: nil, code: nil))
    #expect(decision.hold == .seconds(1) && decision.isLost)
    #expect(decision.changes == [.strip("a")])
    var both = try FaultPlan("status:503,times=1;html,times=1")
    #expect(both.decide(Self.me).reply == .status(503, retryAfter: nil, code: nil))
    #expect(both.decide(Self.me).reply == .html(502))
    #expect(both.decide(Self.me).reply == nil)
  }

  @Test func `what has no condition happens at once, and only once`() throws {
    var plan = try FaultPlan("skew:1h;expire,path=/auth/me;restart-realtime")
    #expect(plan.takeImmediate() == [.skew(.seconds(3_600)), .restartRealtime])
    #expect(plan.takeImmediate() == [])
    #expect(plan.decide(Self.refresh).happenings == [])
    #expect(plan.decide(Self.me).happenings == [.expire])
    #expect(plan.decide(Self.me).happenings == [])
  }

  @Test func `a status says when to come again, in seconds or as a date`() throws {
    #expect(RetryAfter.seconds(30).header(now: 0) == HTTPHeader("Retry-After", "30"))
    #expect(
      RetryAfter.date(7).header(now: 784_111_770_000)
        == HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")
    )
    let decision = try decision("status:401,retry-after=date+7,code=invalid_grant")
    #expect(decision.reply == .status(401, retryAfter: .date(7), code: "invalid_grant"))
  }

  @Test func `a disguise changes the expiry of a token and nothing else`() throws {
    let payload = Base64URL.encode(Array(#"{"sub":"u","exp":5}"#.utf8))
    let token = "e30.\(payload).c2ln"
    let text = TokenDisguise.expiry("1e300").text(of: token)
    let parts = text.split(separator: ".")
    #expect(parts.first == "e30" && parts.last == "c2ln")
    let json = String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
    #expect(json == #"{"exp":1e300,"sub":"u"}"#)
    #expect(TokenDisguise.twoParts.text(of: token) == "e30.\(payload)")
    #expect(TokenDisguise.opaque.text(of: token).contains(".") == false)
  }
}

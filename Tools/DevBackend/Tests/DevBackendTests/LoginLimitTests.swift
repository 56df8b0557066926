import Testing

@testable import DevBackend

/// How often a password may be tried, over real sockets.
@Suite struct LoginLimitTests {
  private static func run(
    _ rate: Int,
    _ body: (Fixture) async throws -> Void
  ) async throws {
    try await Fixture.run {
      $0.loginRate = rate
      $0.clientAddressHeader = "X-Real-IP"
    } _: { fixture in
      _ = try await fixture.registerSky("ada")
      try await body(fixture)
    }
  }

  private func logIn(
    _ fixture: Fixture,
    _ name: String,
    _ password: String = "WrongPass1",
    in dialect: Dialect = .skyConnect,
    from address: String? = nil
  ) async throws -> TestAnswer {
    try await fixture.client.send(
      "POST",
      dialect == .ksn ? "/api/auth/login" : "/auth/login",
      .of([
        dialect == .ksn ? "identifier" : "email": .string("\(name)@example.com"),
        "password": .string(password), "device_id": .string("phone"),
      ]),
      headers: address.map { ["X-Real-IP": $0] } ?? [:]
    )
  }

  @Test(arguments: [Dialect.skyConnect, .ksn])
  func `too many wrong passwords are answered with 429, and the right one waits too`(
    dialect: Dialect
  ) async throws {
    try await Self.run(3) { fixture in
      for _ in 1...3 {
        #expect(try await logIn(fixture, "ada", in: dialect).status == 401)
      }
      for password in ["WrongPass1", "SecurePass1"] {
        let answer = try await logIn(fixture, "ada", password, in: dialect)
        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] == "20")
        #expect(answer.json["code"] == .string("too_many_attempts"))
        #expect((answer.json["success"] == .bool(false)) == (dialect == .ksn))
      }
      #expect(fixture.log.text.contains("login.limited"))
      fixture.inspector.advanceClock(by: .seconds(19))
      let early = try await logIn(fixture, "ada", "SecurePass1", in: dialect)
      #expect(early.headers["retry-after"] == "1")
      fixture.inspector.advanceClock(by: .seconds(1))
      #expect(try await logIn(fixture, "ada", "SecurePass1", in: dialect).status == 200)
    }
  }

  @Test func `a limit says nothing about whether there is such a user`() async throws {
    try await Self.run(2) { fixture in
      var answers: [[TestAnswer]] = []
      for name in ["ada", "nobody"] {
        var ofName: [TestAnswer] = []
        for _ in 1...3 { ofName.append(try await logIn(fixture, name)) }
        answers.append(ofName)
      }
      #expect(answers[0].map(\.status) == [401, 401, 429])
      #expect(answers[0].map(\.status) == answers[1].map(\.status))
      #expect(answers[0].map(\.body) == answers[1].map(\.body))
      #expect(answers[0].map { $0.headers["retry-after"] } == [nil, nil, "30"])
    }
  }

  @Test func `signing in is not counted, and an account of other letters is the same one`()
    async throws
  {
    try await Self.run(1) { fixture in
      for _ in 1...5 {
        let answer = try await logIn(fixture, "ada", "SecurePass1")
        #expect(answer.status == 200)
      }
      #expect(try await logIn(fixture, "ada").status == 401)
      #expect(try await logIn(fixture, "ADA", "SecurePass1").status == 429)
    }
  }

  @Test func `one network has ten accounts' worth, however many names it tries`() async throws {
    try await Self.run(1) { fixture in
      for number in 1...10 {
        let answer = try await logIn(fixture, "user-\(number)", from: "2001:db8::\(number)")
        #expect(answer.status == 401)
      }
      // The same /64, and somebody else's.
      #expect(try await logIn(fixture, "user-11", from: "2001:db8::ffff").status == 429)
      #expect(try await logIn(fixture, "user-11", from: "2001:db8:0:1::1").status == 401)
      // What is no address is passed over, so that the connection's counts.
      #expect(try await logIn(fixture, "user-12", from: "nonsense").status == 401)
    }
  }

  @Test func `without a header to trust the connection's address counts`() async throws {
    try await Fixture.run {
      $0.loginRate = 1
    } _: { fixture in
      for number in 1...10 {
        let answer = try await logIn(fixture, "user-\(number)", from: "192.0.2.\(number)")
        #expect(answer.status == 401)
      }
      #expect(try await logIn(fixture, "user-11", from: "192.0.2.11").status == 429)
    }
  }

  @Test func `a rate of 0 is no limit`() async throws {
    try await Self.run(0) { fixture in
      for _ in 1...15 {
        let answer = try await logIn(fixture, "ada")
        #expect(answer.status == 401)
      }
    }
  }
}

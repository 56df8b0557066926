import Testing

@testable import DevBackend

/// KSN's API over real sockets.
@Suite(.onEachDatabase) struct KSNTests {
  @Test func `registering answers as the guide shows`() async throws {
    try await Fixture.run { fixture in
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/register",
        Fixture.ksn("coolkid"),
        headers: Fixture.mobile
      )
      #expect(answer.status == 201)
      #expect(answer.json["success"] == .bool(true))
      let user = try #require(answer.json["data"]?["user"])
      #expect(user["username"] == .string("coolkid"))
      #expect(user["email"] == .string("coolkid@example.com"))
      #expect(user["isMinor"] == .bool(true))
      #expect(user["requiresParentalConsent"] == .bool(false))
      #expect(user["onboardingCompleted"] == .bool(false))
      #expect(user["isStudentVerified"] == .bool(false))
      // One's own are shown, null where none is on file.
      #expect(user["grade"] == .null)
      #expect(user["school"] == .null)
    }
  }

  @Test(arguments: ["coolkid", "COOLKID@example.com"])
  func `signing in takes the name or the address`(identifier: String) async throws {
    try await Fixture.run { fixture in
      _ = try await fixture.registerKSN("coolkid")
      let body = JSONValue.of([
        "identifier": .string(identifier), "password": .string("SecurePass1"),
      ])
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/login",
        body,
        headers: Fixture.mobile
      )
      #expect(answer.status == 200)
      #expect(answer.json["data"]?["refreshToken"] != nil)
    }
  }

  @Test(arguments: [
    ("2027-03-01", "2014-03-01", 201),
    ("2027-03-01", "2014-03-02", 422),
    ("2027-03-01", "2001-03-02", 201),
    ("2027-03-01", "2001-03-01", 422),
    ("2027-02-28", "2012-02-29", 201),
    ("2025-02-28", "2012-02-29", 422),
    ("2025-03-01", "2012-02-29", 201),
    ("2027-03-01", "2030-01-01", 422),
  ])
  func `ages from 13 to 25 may register, on the day itself`(
    today: String,
    born: String,
    status: Int
  ) async throws {
    let noon = try #require(CivilDate(today)).milliseconds + 43_200_000
    try await Fixture.run {
      $0.clock = BackendClock { noon }
    } _: { fixture in
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/register",
        Fixture.ksn("kid", born: born),
        headers: Fixture.mobile
      )
      #expect(answer.status == status)
      if status == 422 {
        #expect(answer.json["code"] == .string("INVALID_AGE"))
        #expect(answer.json["fields"]?["dateOfBirth"] != nil)
      }
    }
  }

  @Test(arguments: ["2011-02-30", "01.01.2011", "", "2011-1-1"])
  func `what is no date is a wrong field, not a wrong age`(born: String) async throws {
    try await Fixture.run { fixture in
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/register",
        Fixture.ksn("kid", born: born)
      )
      #expect(answer.status == 400)
      #expect(answer.json["field"] == .string("dateOfBirth"))
    }
  }

  @Test(arguments: ["short1A", "nouppercase1", "NoDigitsHere", "<test-password>"])
  func `a weak password is refused on its field`(password: String) async throws {
    try await Fixture.run { fixture in
      let body = JSONValue.of([
        "username": .string("kid"), "email": .string("kid@example.com"),
        "password": .string(password), "dateOfBirth": .string("2011-01-01"),
      ])
      let answer = try await fixture.client.send("POST", "/api/auth/register", body)
      #expect(answer.status == 400)
      #expect(answer.json["success"] == .bool(false))
      #expect(answer.json["fields"]?["password"] != nil)
    }
  }

  @Test func `the refresh token goes to mobile clients only, others get a cookie`() async throws {
    try await Fixture.run { fixture in
      let answer = try await fixture.client.send("POST", "/api/auth/register", Fixture.ksn("web"))
      #expect(answer.json["data"]?["accessToken"] != nil)
      #expect(answer.json["data"]?["refreshToken"] == nil)
      let cookie = try #require(answer.headers["set-cookie"])
      #expect(cookie.contains("HttpOnly; Secure; SameSite=Strict"))
      let pair = try #require(cookie.split(separator: ";").first)
      let refresh = try await fixture.client.send(
        "POST",
        "/api/auth/refresh",
        headers: ["Cookie": String(pair)]
      )
      #expect(refresh.status == 200)
      #expect(refresh.json["data"]?["refreshToken"] == nil)
      #expect(refresh.headers["set-cookie"]?.hasPrefix("refreshToken=") == true)
      #expect(refresh.headers["set-cookie"]?.hasPrefix(String(pair)) == false)
    }
  }

  @Test func `a mobile client gets no cookie`() async throws {
    try await Fixture.run { fixture in
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/register",
        Fixture.ksn("kid"),
        headers: Fixture.mobile
      )
      #expect(answer.headers["set-cookie"] == nil)
    }
  }

  @Test func `finishing onboarding is remembered`() async throws {
    try await Fixture.run { fixture in
      let token = try await fixture.registerKSN().string("accessToken")
      let path = "/api/users/me/onboarding/complete"
      let answer = try await fixture.client.send("POST", path, bearer: token)
      #expect(answer.status == 200)
      let me = try await fixture.client.send("GET", "/api/users/me", bearer: token)
      #expect(me.json["data"]?["onboardingCompleted"] == .bool(true))
    }
  }

  @Test func `grade and school are shown to verified students, and of oneself`() async throws {
    try await Fixture.run { fixture in
      let viewer = try await fixture.registerKSN("viewer").string("accessToken")
      let other = try await fixture.registerKSN("other")
      let id = try #require(other["user"]).string("id")
      func look() async throws -> JSONValue {
        try #require(
          try await fixture.client.send("GET", "/api/users/\(id)", bearer: viewer).json["data"]
        )
      }
      try await fixture.inspector.setStudent("other", isVerified: true, grade: "9", school: nil)
      let hidden = try await look()
      #expect(hidden["grade"] == nil)
      #expect(hidden["school"] == nil)
      #expect(hidden["email"] == nil)
      #expect(hidden["isStudentVerified"] == .bool(true))
      try await fixture.inspector.setStudent("viewer", isVerified: true, grade: nil, school: nil)
      let shown = try await look()
      #expect(shown["grade"] == .string("9"))
      #expect(shown["school"] == .null)
    }
  }

  @Test func `logging out answers as the guide shows, and ends the session`() async throws {
    try await Fixture.run { fixture in
      let data = try await fixture.registerKSN()
      let answer = try await fixture.client.send(
        "POST",
        "/api/auth/logout",
        .of(["refreshToken": data["refreshToken"]]),
        headers: Fixture.mobile
      )
      #expect(answer.status == 200)
      #expect(answer.text == #"{"success":true,"message":"Logged out successfully"}"#)
      let refresh = try await fixture.refreshKSN(data.string("refreshToken"))
      #expect(refresh.status == 401)
    }
  }
}

extension CivilDate {
  /// Midnight of the day, found by search, so that no second formula is trusted.
  var milliseconds: Int64 {
    var low: Int64 = -100_000
    var high: Int64 = 100_000
    while low < high {
      let middle = (low + high) / 2
      let date = CivilDate(milliseconds: middle * 86_400_000)
      if (date.year, date.month, date.day) < (year, month, day) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low * 86_400_000
  }
}

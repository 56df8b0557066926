import AuthNetworking
import SessionModels
import Testing

@Suite struct UserAnswerTests {
  private func user(_ body: String, status: Int = 200, api: any AuthAPI) throws -> User {
    try api.user(from: HTTPResponse(status: status, body: Array(body.utf8)))
  }

  @Test(
    arguments: [
      (#"{"id":"1"}"#, Disclosed<String>.hidden, Disclosed<String>.hidden),
      (#"{"id":1,"grade":null,"school":null}"#, .none, .none),
      (#"{"id":1,"grade":"10","school":"Hill"}"#, .value("10"), .value("Hill")),
      (#"{"id":1,"grade":10,"school":""}"#, .value("10"), .value("")),
    ]
  )
  func `grade and school keep their three states`(
    user: String,
    grade: Disclosed<String>,
    school: Disclosed<String>
  ) throws {
    let found = try self.user(#"{"success":true,"data":\#(user)}"#, api: KSNAPI())
    #expect(found.id == UserID("1"))
    #expect(found.grade == grade)
    #expect(found.school == school)
    #expect(try self.user(user, api: SkyConnectAPI()).grade == grade)
  }

  @Test func `SkyConnect: the fields are snake_case`() throws {
    let body = #"{"id":7,"username":"u","email":"e@x.yz","display_name":"D","is_minor":true}"#
    let found = try user(body, api: SkyConnectAPI())
    #expect(
      found
        == User(
          id: UserID("7"),
          username: "u",
          email: "e@x.yz",
          displayName: "D",
          isMinor: true
        )
    )
  }

  @Test func `KSN: the end of onboarding brings the user`() throws {
    let body = #"{"success":true,"data":{"user":{"id":"x","onboardingCompleted":true}}}"#
    #expect(try user(body, api: KSNAPI()).onboardingCompleted == true)
  }

  @Test func `a field of another type is unknown, and the user is readable`() throws {
    let body = """
      {"id": 18446744073709551616, "username": 5, "email": [], "isMinor": "yes",
       "createdAt": 12, "onboardingCompleted": null, "isStudentVerified": 1}
      """
    let found = try user(#"{"success":true,"data":\#(body)}"#, api: KSNAPI())
    #expect(found == User(id: UserID("18446744073709551616")))
  }

  @Test(
    arguments: [
      "", "{}", "[]", #"{"id":null}"#, #"{"id":1.5}"#, #"{"id":{}}"#, #"{"id":true}"#,
      #"{"success":true,"data":{}}"#, #"{"success":false,"data":{"id":1}}"#,
    ]
  )
  func `a 2xx without a user is a temporary error`(body: String) throws {
    for api: any AuthAPI in [SkyConnectAPI(), KSNAPI()] {
      let error = #expect(throws: AuthError.self) { try user(body, api: api) }
      #expect(error?.code == .server)
    }
  }

  @Test func `a 401 is an answer like any other here`() throws {
    let error = #expect(throws: AuthError.self) {
      try user(#"{"error":"no"}"#, status: 401, api: SkyConnectAPI())
    }
    #expect(error == AuthError(.rejected, "no", status: 401))
  }
}

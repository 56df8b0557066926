import SessionModels
import SessionModelsTesting
import Testing

@Suite struct UserTests {
  @Test(arguments: [UserFixtures.complete(), UserFixtures.bare()])
  func `what is stored is what was there`(user: User) throws {
    #expect(try decode(User.self, encode(user)) == user)
  }

  @Test(arguments: [
    ("", Disclosed<String>.hidden, ""), (#","grade":null"#, .none, #""grade":null,"#),
    (#","grade":"9""#, .value("9"), #""grade":"9","#),
    (#","grade":"""#, .value(""), #""grade":"","#),
  ])
  func `grade and school keep their three states`(
    field: String,
    state: Disclosed<String>,
    written: String
  ) throws {
    let user = try decode(User.self, #"{"id":"1"\#(field)}"#)
    #expect(user.grade == state)
    #expect(try encode(user) == #"{\#(written)"id":"1"}"#)
    let school = field.replacing("grade", with: "school")
    #expect(try decode(User.self, #"{"id":"1"\#(school)}"#).school == state)
  }

  @Test func `what is missing is unknown, not false`() throws {
    #expect(try decode(User.self, #"{"id":7}"#) == User(id: UserID("7")))
    let user = try decode(User.self, #"{"id":7,"isStudentVerified":null}"#)
    #expect(user.isStudentVerified == nil)
    #expect(user.onboardingCompleted == nil)
  }

  @Test(arguments: [#""2026-04-17T…""#, #""yesterday""#, "1776420000", "null", "{}"])
  func `a date in another format locks nobody out`(date: String) throws {
    let user = try decode(User.self, #"{"id":"1","createdAt":\#(date),"username":"kim"}"#)
    #expect(user.createdAt == nil)
    #expect(user.username == "kim")
  }

  @Test(arguments: ["000", "100", "123", "999", "123456", "999999", "123456789"])
  func `a date survives being stored, whatever its precision`(fraction: String) throws {
    let user = try decode(
      User.self,
      #"{"id":"1","createdAt":"2026-04-17T10:00:00.\#(fraction)Z"}"#
    )
    #expect(user.createdAt != nil)
    #expect(try decode(User.self, encode(user)) == user)
  }

  @Test(arguments: [
    "{}", #"{"id":null}"#, #"{"id":"1","username":5}"#, #"{"id":"1","isMinor":"yes"}"#,
    #"{"id":"1","grade":9}"#, #"{"id":"1","school":{}}"#, "[]",
  ])
  func `another form is an error`(json: String) {
    #expect(throws: DecodingError.self) { try decode(User.self, json) }
  }

  @Test func `keys of a newer backend are ignored`() throws {
    #expect(try decode(User.self, #"{"id":"1","badge":{"level":3}}"#) == User(id: UserID("1")))
  }
}

import SessionModels
import SessionModelsTesting
import Testing

/// The example of README.md, so that it compiles and says the truth.
@Suite struct ReadmeTests {
  @Test func `the README's example`() throws {
    let text = TokenFixtures.jwt(expiresAt: 1000).reveal()
    let password = Secret("weak")
    let today = try #require(CalendarDate(parsing: "2026-11-30"))

    let token = AccessToken(Secret(text))
    #expect("\(token.secret)".count == 7)
    #expect(token.expiresAt != nil)

    let registration = Registration(username: "kim", email: "kim@example.com", password: password)
    do {
      try registration.validate(rules: .ksn, today: today)
      Issue.record("a weak password passed")
    } catch {
      #expect(error.faults.map(\.field) == [.password, .dateOfBirth])
      #expect(error.faults.allSatisfy { !$0.problem.message.isEmpty })
    }
  }
}

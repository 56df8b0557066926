import SessionModels
import Testing

@Suite struct RegistrationTests {
  private static let today = CalendarDate(parsing: "2026-11-30")

  private func faults(
    of registration: Registration,
    _ rules: RegistrationRules
  ) throws -> [ValidationError.Fault] {
    let today = try #require(Self.today)
    return SessionModelsTests.faults { () throws(ValidationError) in
      try registration.validate(rules: rules, today: today)
    }
  }

  private func registration(
    username: String = "coolkid",
    email: String = "kid@example.com",
    password: String = "SecurePass1",
    born: String? = "2011-05-15"
  ) -> Registration {
    Registration(
      username: username,
      email: email,
      password: Secret(password),
      dateOfBirth: born.flatMap(CalendarDate.init(parsing:))
    )
  }

  @Test func `what is right passes in both dialects`() throws {
    #expect(try faults(of: registration(), .ksn).isEmpty)
    #expect(try faults(of: registration(password: "x", born: nil), .skyConnect).isEmpty)
  }

  @Test func `every field has its own message, in the order of the form`() throws {
    let wrong = registration(username: " ", email: "kid", password: "short", born: nil)
    let faults = try faults(of: wrong, .ksn)
    #expect(faults.map(\.field) == [.username, .email, .password, .dateOfBirth])
    #expect(
      faults.map(\.problem)
        == [.usernameRequired, .invalidEmail, .weakPassword, .dateOfBirthRequired]
    )
  }

  @Test func `SkyConnect asks for a password of any kind, and no date of birth`() throws {
    let faults = try faults(of: registration(password: "", born: nil), .skyConnect)
    #expect(faults == [.init(field: .password, problem: .passwordRequired)])
  }

  @Test(arguments: [
    ("2013-11-30", true), ("2013-12-01", false), ("2013-11-29", true), ("2000-12-01", true),
    ("2000-11-30", false), ("2000-11-29", false), ("2026-11-30", false), ("2027-01-01", false),
    ("1900-01-01", false),
  ])
  func `13 to 25 years on the day of registration may register`(born: String, mayRegister: Bool)
    throws
  {
    let faults = try faults(of: registration(born: born), .ksn)
    #expect(faults.map(\.problem) == (mayRegister ? [] : [.ageOutOfRange(13...25)]))
  }

  @Test func `R9: no printing shows the password`() {
    for printout in printouts(of: registration(password: "Correct Horse 1")) {
      #expect(!printout.contains("Horse"))
    }
  }
}

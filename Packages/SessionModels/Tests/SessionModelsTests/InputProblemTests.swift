import SessionModels
import Testing

@Suite struct InputProblemTests {
  @Test(arguments: [
    (InputProblem.invalidEmail, "Invalid email address"),
    (.ageOutOfRange(13...25), "You must be 13 to 25 years old"),
    (.weakPassword, "Use at least 8 characters, with an upper-case letter and a digit"),
  ])
  func `a message says what to do`(problem: InputProblem, message: String) {
    #expect(problem.message == message)
  }

  @Test func `no two problems share a message`() {
    let problems: [InputProblem] = [
      .invalidEmail, .identifierRequired, .usernameRequired, .passwordRequired, .weakPassword,
      .dateOfBirthRequired, .ageOutOfRange(13...25), .ageOutOfRange(1...2),
    ]
    #expect(Set(problems.map(\.message)).count == problems.count)
  }
}

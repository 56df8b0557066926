import SessionModels
import Testing

@Suite struct ValidationErrorTests {
  @Test func `one line names every field and what is wrong with it`() {
    let error = #expect(throws: ValidationError.self) {
      try Credentials(identifier: "kid", password: Secret("")).validate(identifierIsEmail: true)
    }
    #expect(error?.description == "email: Invalid email address; password: Enter a password")
  }

  @Test func `an error of one fault`() {
    let error = ValidationError(.dateOfBirth, .dateOfBirthRequired)
    #expect(error.faults == [.init(field: .dateOfBirth, problem: .dateOfBirthRequired)])
  }
}

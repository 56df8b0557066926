import SessionModels
import Testing

@Suite struct InputFieldTests {
  @Test func `the names are those that messages and dialects rely on`() {
    #expect(
      InputField.allCases.map(\.rawValue)
        == ["email", "identifier", "username", "password", "dateOfBirth", "displayName"]
    )
  }
}

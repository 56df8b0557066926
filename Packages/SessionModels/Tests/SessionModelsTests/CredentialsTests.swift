import SessionModels
import Testing

@Suite struct CredentialsTests {
  @Test(
    arguments: [
      ("kid@example.com", "x", true, []), ("coolkid", "x", false, []), ("kid@", "x", false, []),
      ("coolkid", "x", true, [.email]), ("", "x", true, [.email]), ("", "x", false, [.identifier]),
      (" \t\n", "x", false, [.identifier]), ("kid@example.com", "", true, [.password]),
      ("coolkid", " ", false, []), ("", "", true, [.email, .password]),
      ("", "", false, [.identifier, .password]),
    ] as [(String, String, Bool, [InputField])]
  )
  func `what is wrong is said before the network, one message a field`(
    identifier: String,
    password: String,
    identifierIsEmail: Bool,
    fields: [InputField]
  ) {
    let credentials = Credentials(identifier: identifier, password: Secret(password))
    #expect(
      faults { () throws(ValidationError) in
        try credentials.validate(identifierIsEmail: identifierIsEmail)
      }.map(\.field) == fields
    )
  }

  @Test func `R9: no printing shows the password`() {
    let credentials = Credentials(identifier: "kid", password: Secret("Correct Horse 1"))
    for printout in printouts(of: credentials) { #expect(!printout.contains("Horse")) }
  }
}

/// What a validation found.
func faults(_ validate: () throws(ValidationError) -> Void) -> [ValidationError.Fault] {
  do {
    try validate()
    return []
  } catch {
    return error.faults
  }
}

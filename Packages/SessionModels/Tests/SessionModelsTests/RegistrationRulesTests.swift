import SessionModels
import Testing

@Suite struct RegistrationRulesTests {
  @Test(arguments: [
    ("SecurePass1", true), ("Abcdefg1", true), ("ABCDEFG1", true), ("Äbcdefg1", true),
    ("1bcdefgH", true), ("A b c d 1", true), ("Abcdef1", false), ("abcdefg1", false),
    ("Abcdefgh", false), ("", false), ("12345678", false), ("Abcdefg①", false),
    ("Abcdefg٣", false), ("A1👩‍👩‍👧‍👦", false), ("éÉ1éééé", false),
  ])
  func `KSN wants 8 characters with an upper-case letter and a digit`(
    password: String,
    isMet: Bool
  ) {
    #expect(PasswordRules().isMet(by: Secret(password)) == isMet)
  }

  @Test func `the length can be another`() {
    #expect(PasswordRules(minimumLength: 12).isMet(by: Secret("SecurePass1")) == false)
  }

  @Test func `each dialect has its rules`() {
    #expect(RegistrationRules.ksn == RegistrationRules(password: PasswordRules(), ages: 13...25))
    #expect(RegistrationRules.skyConnect == RegistrationRules(password: nil, ages: nil))
  }
}

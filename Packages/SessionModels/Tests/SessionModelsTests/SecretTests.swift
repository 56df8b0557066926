import SessionModels
import Testing

@Suite struct SecretTests {
  @Test(arguments: ["", "short", "fifteen-chars-x"])
  func `R9: of a secret shorter than 16 nothing is shown`(text: String) {
    let secret = Secret(text)
    #expect("\(secret)" == "<redacted>")
    #expect(String(reflecting: secret) == "<redacted>")
  }
}

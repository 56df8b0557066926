import SessionModels
import Testing

@Suite struct UserIDTests {
  @Test(arguments: [
    (#""clx3""#, "clx3"), ("42", "42"), (#""42""#, "42"), ("0", "0"), ("-1", "-1"),
    ("9007199254740993", "9007199254740993"), ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775808", "9223372036854775808"),
    ("18446744073709551615", "18446744073709551615"),
    ("-9223372036854775808", "-9223372036854775808"), (#""007""#, "007"), (#""é""#, "é"),
    ("1.0", "1"), ("1e3", "1000"),
  ])
  func `a string or an integer is a string after`(json: String, text: String) throws {
    let id = try decode(UserID.self, json)
    #expect(id.rawValue == text)
    #expect("\(id)" == text)
    #expect(try encode(id) == "\"\(text)\"")
  }

  @Test(arguments: [
    "1.5", "null", "true", "{}", "[]", "[1]", "18446744073709551616", "1e300", "1e400",
    "-9223372036854775809", String(repeating: "9", count: 400),
  ])
  func `everything else is an error, not a wrong id`(json: String) {
    #expect(throws: DecodingError.self) { try decode(UserID.self, json) }
  }

  @Test func `an id is its text`() {
    #expect(UserID("42") == UserID(rawValue: "42"))
    #expect(UserID("42") != UserID("042"))
  }
}

import SessionModels
import Testing

@Suite struct SecretTests {
  @Test(arguments: [
    "", "short", "fifteen-chars-x", "zehn Zeichen und mehr", "ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ-abcdef",
    "0123456789abcdef\n", "0123456789\u{1B}[31mabcdef", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦abcdef",
  ])
  func `R9: of a secret that is short or no token nothing is shown`(text: String) {
    for printout in printouts(of: Secret(text)) where !text.isEmpty {
      #expect(!printout.contains(text))
      #expect(!printout.contains("abcdef"))
    }
    #expect(Secret(text).redacted == "<redacted>")
    #expect("\(Secret(text))" == "<redacted>")
    #expect(String(reflecting: Secret(text)) == "<redacted>")
  }

  @Test func `R9: of a long token the last 6 characters are shown, however it is printed`() {
    let token = "0123456789-abcdef"
    for printout in printouts(of: Secret(token)) {
      #expect(!printout.contains("-abcdef"))
      #expect(!printout.contains("0123456789"))
    }
    #expect(Secret(token).redacted == "…abcdef")
    #expect(Secret("0123456789abcdef").redacted == "…abcdef")
  }

  @Test func `R9: a mirror has no children`() {
    #expect(Mirror(reflecting: Secret("0123456789-abcdef")).children.isEmpty)
  }

  @Test(arguments: [
    ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false), ("", "a", false),
    ("0123456789", "0123456780", false), ("x123456789", "0123456789", false),
    ("é", "e\u{301}", false),
  ])
  func `secrets are equal when their bytes are`(left: String, right: String, isEqual: Bool) {
    #expect((Secret(left) == Secret(right)) == isEqual)
  }

  @Test func `text and bytes make the same secret`() {
    #expect(Secret("tökén") == Secret(bytes: Array("tökén".utf8)))
    #expect(Secret("abc") == Secret(bytes: "xabcx".utf8.dropFirst().dropLast()))
    #expect(Secret("tökén").count == 7)
  }

  @Test func `bytes of any kind come back as they were`() {
    let bytes: [UInt8] = [0, 255, 128, 10, 0]
    #expect(Secret(bytes: bytes).withBytes { Array($0) } == bytes)
    #expect(Secret(bytes: bytes).count == 5)
  }

  @Test func `text comes back as it was, an empty one too`() {
    #expect(Secret("a\u{0}b 👋").reveal() == "a\u{0}b 👋")
    #expect(Secret("").reveal().isEmpty)
    #expect(Secret("").isEmpty)
    #expect(Secret(bytes: []).isEmpty)
    #expect(!Secret(" ").isEmpty)
  }

  @Test func `lending the bytes passes errors on`() {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try Secret("a").withBytes { (_) throws(Refused) in throw Refused() }
    }
  }

  @Test func `a copy outlives the original`() {
    var secrets = [Secret("0123456789-abcdef")]
    let copy = secrets[0]
    secrets.removeAll()
    #expect(copy.reveal() == "0123456789-abcdef")
  }

  @Test func `it cannot be encoded by accident`() {
    #expect(!(Secret("a") as Any is any Encodable))
  }
}

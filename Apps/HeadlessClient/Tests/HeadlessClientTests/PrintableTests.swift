import Testing

@testable import HeadlessClient

@Suite struct PrintableTests {
  @Test(
    arguments: [
      ("plain, ä and 漢字", "plain, ä and 漢字"),
      ("one\ntwo\u{1B}[31m", "one two [31m"),
      ("\u{202E}evil\u{202C}", "evil"),
      ("a\u{200B}b\u{FEFF}c\u{2066}d\u{2069}", "abcd"),
      ("👩\u{200D}👧", "👩\u{200D}👧"),
    ]
  )
  func `what others wrote drives no terminal and hides nothing`(text: String, shown: String) {
    #expect(Printable.text(text) == shown)
  }
}

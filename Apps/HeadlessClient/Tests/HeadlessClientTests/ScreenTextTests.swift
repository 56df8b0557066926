import Testing

@testable import HeadlessClient

struct ScreenTextTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("äöü", 3), ("a\u{308}", 1), ("日本語", 6), ("한국어", 6), ("ｆｕｌｌ", 8),
    ("😀", 2), ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇩🇪", 2), ("❤", 1), ("שלום", 4), ("—…✓", 3),
    ("\u{301}", 1), ("\u{1100}\u{1161}", 2),
  ])
  func `Columns are those of a terminal`(text: String, columns: Int) {
    #expect(ScreenText(text).columns == columns)
  }

  @Test(arguments: [
    ("a\u{1B}[2Jb", "a [2Jb"), ("a\u{9B}31mb", "a 31mb"), ("a\u{7}\u{0}b\u{7F}", "a  b "),
    ("one\ntwo\r\nthree\ttab", "one two three tab"), ("a\u{202E}b\u{2066}c\u{200F}d", "abcd"),
    ("a\u{FEFF}\u{200B}b", "ab"), ("x\u{2028}y\u{2029}z", "x y z"), ("a\u{E0041}b", "ab"),
    ("❤\u{FE0F}", "❤"),
  ])
  func `What could drive the terminal, or turn a line around, is gone`(text: String, shown: String)
  {
    #expect(ScreenText(text).text == shown)
  }

  @Test func `A heap of accents stays on its line`() {
    let heap = "a" + String(repeating: "\u{301}", count: 500) + "b"
    let text = ScreenText(heap)
    #expect(text.columns == 2)
    #expect(text.text.unicodeScalars.count == 10)
    #expect(ScreenText("\u{301}x").cells.count == 2)
  }

  @Test(arguments: [
    ("hello", 5, "hello"), ("hello", 4, "hel…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("日本語", 1, "…"), ("hello", 0, ""),
  ])
  func `What does not fit is cut off with an ellipsis`(text: String, columns: Int, shown: String) {
    let clipped = ScreenText(text).clipped(to: columns)
    #expect(clipped.text == shown)
    #expect(clipped.columns <= columns)
  }

  @Test(arguments: [
    ("the quick brown fox", 10, ["the quick", "brown fox"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
    ("日本語です", 4, ["日本", "語で", "す"]), ("", 10, [""]), ("aaa bbb", 3, ["aaa", "bbb"]),
    ("to abcdefghij", 5, ["to", "abcde", "fghij"]),
  ])
  func `Lines break at spaces where there are any`(text: String, columns: Int, lines: [String]) {
    #expect(ScreenText(text).wrapped(to: columns).map(\.text) == lines)
  }

  @Test func `No wrapped line is too wide, and none of the text is lost, whatever it is`() {
    let alphabet = Array("ab c日語😀é\u{301}\u{200D}👍🏽 -")
    for _ in 0..<200 {
      let text = String((0..<Int.random(in: 0...60)).map { _ in alphabet.randomElement() ?? "x" })
      let columns = Int.random(in: 2...12)
      let lines = ScreenText(text).wrapped(to: columns)
      #expect(lines.allSatisfy { $0.columns <= columns }, "\(text)")
      let kept = lines.map(\.text).joined().filter { $0 != " " }
      #expect(kept == ScreenText(text).text.filter { $0 != " " })
    }
  }
}

import Testing

@testable import HeadlessClient

/// Tables for people: aligned, and as wide as the terminal.
struct TableTests {
  private let table = Table(
    ["NAME", "WHERE", "N"],
    [["a", "https://a-rather-long-host.example.com", "1"], ["日本", "x\ty", "22"]],
    flexible: [1]
  )

  private func live(_ width: Int) -> Style {
    var style = Style()
    style.resultsAreLive = true
    style.width = width
    return style
  }

  @Test func `Scripts get all of it, and no headings`() {
    #expect(
      table.text(Style())
        == """
        a     https://a-rather-long-host.example.com  1
        日本  x y                                     22
        """
    )
  }

  @Test func `On a terminal there are headings, and nothing is wider than it`() {
    #expect(
      table.text(live(24))
        == """
        NAME  WHERE           N
        a     https://a-rat…  1
        日本  x y             22
        """
    )
    for width in [24, 60, 80, 200] {
      let lines = table.text(live(width)).split(separator: "\n")
      #expect(lines.allSatisfy { ScreenText.columns(of: String($0)) <= width })
    }
  }

  @Test func `Where the terminal is too narrow, each row becomes lines of its own`() {
    let wide = Table(
      ["NAME", "SIGNED IN", "ON"],
      [["ses_1", "1 min ago", "2030-01-01"], ["ses_2", "2 min ago", "2030-01-02"]],
      flexible: []
    )
    #expect(
      wide.text(live(24))
        == """
        ses_1
          Signed in  1 min ago
          On         2030-01-01
        ses_2
          Signed in  2 min ago
          On         2030-01-02
        """
    )
  }

  @Test(arguments: [24, 30, 60])
  func `A cell that is longer than such a line goes on below itself, whatever its words`(
    width: Int
  ) throws {
    let texts = [
      String(repeating: "漢字", count: 60),
      "https://example.org/" + String(repeating: "a", count: 90),
      "words that can be told apart, and break between them",
    ]
    for text in texts {
      let row = [String(repeating: "0", count: 61), text]
      let lines = Table(["ID", "TEXT"], [row], flexible: []).text(live(width))
        .split(separator: "\n").map(String.init)
      #expect(lines.allSatisfy { ScreenText.columns(of: $0) <= width })
      let start = try #require(lines.firstIndex { $0.hasPrefix("  Text  ") })
      // Nothing is lost but spaces at the breaks.
      let shown = lines[start...].map { $0.dropFirst(8) }.joined()
      #expect(shown.filter { $0 != " " } == text.filter { $0 != " " })
    }
  }

  @Test(arguments: [
    ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("😀", 2), ("👩‍👩‍👧", 2), ("ﾊ", 1), ("", 0),
  ]) func `Text is as wide as a terminal shows it`(text: String, columns: Int) {
    #expect(ScreenText.columns(of: text) == columns)
  }

  @Test func `What is cut ends with an ellipsis, within its room`() {
    #expect(ScreenText.cut("abcdef", to: 6) == "abcdef")
    #expect(ScreenText.cut("abcdef", to: 5) == "abcd…")
    #expect(ScreenText.cut("日本語", to: 5) == "日本…")
    #expect(ScreenText.cut("日本語", to: 4) == "日…")
  }
}

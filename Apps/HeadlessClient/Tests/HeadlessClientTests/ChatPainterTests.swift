import Testing

@testable import HeadlessClient

struct ChatPainterTests {
  private func picture(_ lines: String...) -> ChatScreen.Picture {
    ChatScreen.Picture(lines: lines.map { ChatLine($0, .dim) }, cursor: (0, 2))
  }

  @Test func `Only the rows that are others are sent`() {
    var painter = ChatPainter(hasColors: true)
    #expect(
      painter.paint(picture("a", "b"), isNew: true).contains(
        "\u{1B}[1;1H\u{1B}[0m\u{1B}[K\u{1B}[0;2ma"
      )
    )
    let second = painter.paint(picture("a", "c"))
    #expect(!second.contains("\u{1B}[1;1H"))
    #expect(second.contains("\u{1B}[2;1H\u{1B}[0m\u{1B}[K\u{1B}[0;2mc\u{1B}[0m"))
    #expect(second.hasSuffix("\u{1B}[1;3H\u{1B}[?25h"))
    #expect(painter.paint(picture("a", "c"), isNew: true).contains("\u{1B}[2J"))
    #expect(painter.paint(picture("a")).contains("\u{1B}[2J"))
  }

  @Test func `Without colours there are none, and the status line is one`() {
    var painter = ChatPainter(hasColors: false)
    #expect(painter.paint(picture("a")).contains("\u{1B}[0ma"))
    var bar = picture("a")
    bar.lines = [ChatLine("a", .bar)]
    #expect(painter.paint(bar).contains("\u{1B}[0;7ma"))
  }
}

/// A line of the chat's screen: pieces of text, each in its colour.
struct ChatLine: Equatable, Sendable {
  /// A piece of a line.
  struct Span: Equatable, Sendable {
    var text: ScreenText
    var look = Look.plain
  }

  /// How a piece looks.
  enum Look: Equatable, Sendable {
    case plain, dim, name, me, bad, bar
  }

  var spans: [Span] = []

  init(_ spans: Span...) { self.spans = spans }

  init(_ text: String, _ look: Look = .plain) {
    spans = [Span(text: ScreenText(text), look: look)]
  }

  /// The columns that it takes.
  var columns: Int { spans.reduce(0) { $0 + $1.text.columns } }

  /// What stands there, without colours.
  var text: String { spans.map(\.text.text).joined() }

  /// As much of it as fits.
  func clipped(to columns: Int) -> ChatLine {
    var line = ChatLine()
    var left = columns
    for span in spans where left > 0 {
      let clipped = span.text.clipped(to: left)
      line.spans.append(Span(text: clipped, look: span.look))
      left -= clipped.columns
    }
    return line
  }
}

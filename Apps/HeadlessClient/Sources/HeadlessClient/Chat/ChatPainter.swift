/// Makes what a terminal has to be sent of pictures of the chat: a value.
///
/// Of each picture that is only the rows that are others than before.
struct ChatPainter: Sendable {
  private let hasColors: Bool
  private var shown: [ChatLine] = []

  init(hasColors: Bool) { self.hasColors = hasColors }

  /// What to send for a picture; all of it where nothing that the terminal shows can be relied on.
  mutating func paint(_ picture: ChatScreen.Picture, isNew: Bool = false) -> String {
    // The cursor is hidden while it moves about.
    var text = "\u{1B}[?25l"
    if isNew || shown.count != picture.lines.count {
      text += "\u{1B}[0m\u{1B}[2J"
      shown = []
    }
    for (row, line) in picture.lines.enumerated() where row >= shown.count || shown[row] != line {
      // The row is cleared first: behind a full one the cursor still stands on its last column.
      text += "\u{1B}[\(row + 1);1H\u{1B}[0m\u{1B}[K\(spans(of: line))\u{1B}[0m"
    }
    shown = picture.lines
    return text + "\u{1B}[\(picture.cursor.row + 1);\(picture.cursor.column + 1)H\u{1B}[?25h"
  }

  private func spans(of line: ChatLine) -> String {
    line.spans.map { span in
      "\u{1B}[0" + code(span.look).map { ";\($0)" }.joined() + "m" + span.text.text
    }.joined()
  }

  /// The numbers are those of ECMA-48; without colours the status line still is one.
  private func code(_ look: ChatLine.Look) -> [Int] {
    switch look {
    case .plain: []
    case .bar: [7]
    case .dim: hasColors ? [2] : []
    case .name: hasColors ? [1] : []
    case .me: hasColors ? [32] : []
    case .bad: hasColors ? [31] : []
    }
  }
}

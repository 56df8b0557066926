/// How lines look: what the options say, and what the terminal can show.
package struct Style: Sendable {
  /// One JSON object a line, nothing else.
  package var json = false
  /// Errors only on the messages' channel.
  package var quiet = false
  /// More on the messages' channel.
  package var verbose = false
  /// Whether results may be coloured.
  package var colorsResults = false
  /// Whether messages may be coloured.
  package var colorsMessages = false
  /// Whether results go to a terminal.
  package var resultsAreLive = false
  /// Whether messages go to a terminal, where a line can be written over.
  package var messagesAreLive = false
  /// The terminal's columns.
  package var width = 80

  /// The plain style, as for a pipe.
  package init() {}

  /// Text in a colour, or as it is where colours are off.
  func paint(_ text: String, _ color: Color, on channel: OutputChannel) -> String {
    let isColored = channel == .results ? colorsResults : colorsMessages
    return isColored && !json ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// What a colour says; the numbers are those of ECMA-48.
  enum Color: Int, Sendable {
    case bold = 1
    case dim = 2
    case bad = 31
    case good = 32
    case caution = 33
  }
}

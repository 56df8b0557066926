/// What a person did at the keyboard.
enum Key: Equatable, Sendable {
  /// Typed or pasted text.
  case text(String)
  case enter, backspace, delete, deleteWord, deleteToStart, deleteToEnd
  case left, right, start, end
  case lineUp, lineDown, pageUp, pageDown
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D.
  case endOfInput
  /// Ctrl-L.
  case redraw
}

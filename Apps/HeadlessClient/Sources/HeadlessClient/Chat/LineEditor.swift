/// A line that is being written: characters and a cursor, a value.
struct LineEditor: Equatable, Sendable {
  /// How long a line may be; what the outbox takes at most.
  static let mostBytes = 65_536

  /// What is written so far.
  private(set) var characters: [Character] = []
  /// How many characters stand before the cursor.
  private(set) var cursor = 0
  private var bytes = 0

  /// What is written so far, as one text.
  var text: String { String(characters) }

  /// Writes something at the cursor; what is too much is dropped.
  ///
  /// Line breaks stay: they come with pasted text, and belong to the message.
  mutating func insert(_ text: String) {
    // As one text, so that a mark joins the character before it.
    let before = String(characters[..<cursor]) + text
    guard bytes + text.utf8.count <= LineEditor.mostBytes else { return }
    let rest = characters[cursor...]
    let head = Array(before)
    characters = head + rest
    cursor = head.count
    bytes += text.utf8.count
  }

  /// Takes the character before the cursor away.
  mutating func deleteBackward() {
    guard cursor > 0 else { return }
    remove(cursor - 1..<cursor)
  }

  /// Takes the character at the cursor away.
  mutating func deleteForward() {
    guard cursor < characters.count else { return }
    remove(cursor..<cursor + 1)
  }

  /// Takes the word before the cursor away.
  mutating func deleteWord() {
    var start = cursor
    while start > 0, characters[start - 1].isWhitespace { start -= 1 }
    while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
    remove(start..<cursor)
  }

  /// Takes away what stands before the cursor.
  mutating func deleteToStart() { remove(0..<cursor) }

  /// Takes away what stands after the cursor.
  mutating func deleteToEnd() { remove(cursor..<characters.count) }

  /// Moves the cursor by some characters, as far as there are any.
  mutating func move(by distance: Int) { cursor = min(max(cursor + distance, 0), characters.count) }

  /// Moves the cursor to the start.
  mutating func moveToStart() { cursor = 0 }

  /// Moves the cursor to the end.
  mutating func moveToEnd() { cursor = characters.count }

  /// Takes everything.
  mutating func take() -> String {
    defer { self = LineEditor() }
    return text
  }

  private mutating func remove(_ range: Range<Int>) {
    bytes -= characters[range].reduce(0) { $0 + $1.utf8.count }
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }
}

/// Text of a server, as it is shown.
enum ServerText {
  /// The most characters that are shown.
  static let limit = 500

  /// What is said to go on where text was cut.
  static let ellipsis = "…"

  /// One line of a terminal: no control characters, no surrounding or repeated spaces.
  static func line(_ text: String) -> String {
    text.unicodeScalars
      .split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
      .map { String($0) }
      .joined(separator: " ")
  }

  /// The beginning of a long text, without the word that the cut would go through: a token that is
  /// cut is not known for one any more (R9).
  static func short(_ text: String) -> String {
    guard text.count > limit else { return text }
    let cut = text.index(text.startIndex, offsetBy: limit - 1)
    var end = cut
    while end > text.startIndex {
      let before = text.index(before: end)
      guard let byte = text[before].utf8.first, text[before].utf8.count == 1,
        Redactor.isTokenCharacter(byte)
      else { break }
      end = before
    }
    // A word that fills the whole text, and holds no token, is shown as far as there is room.
    if end == text.startIndex { end = cut }
    return text[..<end] + ellipsis
  }
}

/// How much room text takes on a terminal.
enum TextWidth {
  /// The columns that a text takes: none for marks that join the letter before, two for what is
  /// wide in East Asia, and for pictures.
  static func columns(_ text: String) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + columns($1) }
  }

  /// The text, or as much of it as fits before an ellipsis.
  static func cut(_ text: String, to columns: Int) -> String {
    guard self.columns(text) > columns else { return text }
    var (result, used) = ("", 0)
    for character in text {
      let width = self.columns(character)
      guard used + width < columns else { break }
      result.append(character)
      used += width
    }
    return result + "…"
  }

  private static func columns(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") {
      return 2
    }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch first.value {
    // Unicode's East Asian Width, its blocks of W and F.
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

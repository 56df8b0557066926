/// Text of others made fit for a terminal: line breaks and control characters, which could
/// drive it, become spaces.
enum Printable {
  static func text(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{2029}": result.append(" ")
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

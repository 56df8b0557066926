/// Text of others made fit for a terminal: line breaks and control characters, which could
/// drive it, become spaces; marks of direction and other invisible ones, which make it read as
/// something else, go.
enum Printable {
  static func text(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{2029}": result.append(" ")
      // It joins emoji to one.
      case "\u{200D}": result.unicodeScalars.append(scalar)
      case _ where scalar.properties.generalCategory == .format: break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

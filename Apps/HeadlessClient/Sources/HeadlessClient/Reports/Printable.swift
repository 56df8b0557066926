/// Text of others made fit for a terminal: line breaks and control characters, which could
/// drive it, become spaces; marks of direction and other invisible ones, which make it read as
/// something else, go.
enum Printable {
  static func text(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch ScreenText.kind(of: scalar) {
      case .control: result.append(" ")
      case .invisible: break
      case .mark, .visible: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

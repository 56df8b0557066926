/// Text as roff wants it: what it would take for its own is escaped, and all of it is ASCII.
enum Roff {
  /// The longest line that is written; its words flow on in the next one.
  private static let width = 79

  /// Text within a line.
  static func text(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      case "^": result += "\\(ha"
      case "`": result += "\\(ga"
      case "~": result += "\\(ti"
      case "\u{20}"..."\u{7E}": result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return result
  }

  /// A line of text, which no request is: what begins with a dot is a request.
  static func line(_ text: String) -> String {
    text.hasPrefix(".") ? "\\&\(self.text(text))" : self.text(text)
  }

  /// A paragraph over several lines.
  static func paragraph(_ text: String) -> [String] {
    TextWrap.lines(text, room: width).map(line)
  }
}

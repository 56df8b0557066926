/// Puts the shared statements and texts into PostgreSQL's form.
enum StatementText {
  /// `?` as `$1`, `$2`, …; a `?` within quotes stays.
  static func numbered(_ statement: String) -> String {
    var text = ""
    var number = 0
    var isQuoted = false
    for character in statement {
      if character == "'" { isQuoted.toggle() }
      if character == "?", !isQuoted {
        number += 1
        text += "$\(number)"
      } else {
        text.append(character)
      }
    }
    return text
  }

  private static let escape: Unicode.Scalar = "\u{1A}"

  /// A text as the server can keep it: it takes no NUL, which SQLite does, so that a NUL becomes
  /// two other characters, and the first of those too.
  static func storable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0 == "\0" || $0 == escape }) else { return text }
    var stored = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\0": stored.append(contentsOf: [escape, "0"])
      case escape: stored.append(contentsOf: [escape, "1"])
      default: stored.append(scalar)
      }
    }
    return String(stored)
  }

  /// The text that was stored.
  static func restored(_ stored: String) -> String {
    guard stored.unicodeScalars.contains(escape) else { return stored }
    var text = String.UnicodeScalarView()
    var scalars = stored.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      text.append(scalar == escape ? (scalars.next() == "0" ? "\0" : escape) : scalar)
    }
    return String(text)
  }
}

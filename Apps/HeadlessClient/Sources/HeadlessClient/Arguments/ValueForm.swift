/// What an option takes, so that a value that cannot be used is refused while parsing.
package enum ValueForm: Sendable {
  /// Nothing: it is there or not.
  case flag
  /// Any text.
  case text(String)
  /// A file's path.
  case file(String)
  /// A directory's path.
  case directory(String)
  /// The name of a profile.
  case profile(String)
  /// One of some words; of the others named, this build says that it does not have them.
  case choice(String, [String], absent: [String] = [])
  /// A whole number within bounds.
  case integer(String, ClosedRange<Int>)
  /// A time above 0: a number of seconds, or one with its unit, as `500ms`, `90s`, `5m`, `2h`.
  case seconds(String)

  /// What stands for the value in help; nil where there is none.
  package var placeholder: String? {
    switch self {
    case .flag: nil
    case .text(let name), .file(let name), .directory(let name), .profile(let name),
      .choice(let name, _, _), .integer(let name, _), .seconds(let name):
      name
    }
  }

  /// What is wrong with a value, in words that follow its name; nil where it can be used.
  func fault(in value: String) -> String? {
    switch self {
    case .text, .file, .directory, .profile: nil
    case .flag: ValueForm.truth(value) == nil ? "must be 1 or 0" : nil
    case .choice(_, let words, let absent):
      if words.contains(value) {
        nil
      } else if absent.contains(value) {
        "\(value) is not in this build"
      } else {
        "must be one of \(words.joined(separator: ", "))"
          + (Suggestion.closest(to: value, among: words).map { "; did you mean \($0)?" } ?? "")
      }
    case .integer(_, let bounds):
      if let number = Int(value), bounds.contains(number) {
        nil
      } else if bounds.upperBound == .max {
        "must be a whole number of \(bounds.lowerBound) or more"
      } else {
        "must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
      }
    case .seconds:
      ValueForm.duration(value) == nil
        ? "must be a number of seconds above 0, at most \(Int(ValueForm.longest)), or a time such as 5m"
        : nil
    }
  }

  /// A hundred days: longer waits are mistakes, and arithmetic on them must not overflow.
  private static let longest = 8_640_000.0

  private static let units = [
    ("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0),
  ]

  /// A time from a number of seconds, or of the unit behind it; nil where it is none, not
  /// positive, or absurdly long.
  static func duration(_ text: String) -> Duration? {
    let unit = units.first { text.hasSuffix($0.0) }
    let number = text.dropLast(unit?.0.count ?? 0)
    guard number.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }),
      let amount = Double(number)
    else { return nil }
    let seconds = amount * (unit?.1 ?? 1)
    return seconds > 0 && seconds <= longest ? .seconds(seconds) : nil
  }

  /// Whether a flag's environment variable switches it on; nil where it says neither.
  static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "", "0", "false", "no", "off": false
    default: nil
    }
  }
}

/// Text of others as a terminal can be given it: cut into what takes whole columns, and harmless.
///
/// What could drive the terminal or reorder a line is gone: control characters become spaces,
/// marks of direction and other invisible ones are dropped. So that an absurd heap of accents does
/// not flood the lines around it, a character keeps eight of them.
struct ScreenText: Equatable, Sendable {
  /// What a terminal shows in one place.
  struct Cell: Equatable, Sendable {
    /// The character, with what belongs to it.
    var text: String
    /// How many columns it takes: 1 or 2.
    var columns: Int
  }

  private static let mostMarks = 8

  /// The cells from left to right.
  private(set) var cells: [Cell] = []

  /// Nothing.
  init() {}

  /// Harmless text; a line break is a space like other control characters.
  init(_ text: String) {
    cells.reserveCapacity(text.utf8.count)
    for character in text { append(character) }
  }

  /// The columns that a text takes.
  static func columns(of text: String) -> Int {
    text.utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? text.utf8.count : ScreenText(text).columns
  }

  /// The text, or as much of it as fits, with an ellipsis where something is cut off.
  static func cut(_ text: String, to columns: Int) -> String {
    self.columns(of: text) > columns ? ScreenText(text).clipped(to: columns).text : text
  }

  /// The columns that it takes.
  var columns: Int { cells.reduce(0) { $0 + $1.columns } }

  /// The text again.
  var text: String { cells.reduce(into: "") { $0 += $1.text } }

  /// As much of it as fits, with an ellipsis where something is cut off.
  func clipped(to columns: Int) -> ScreenText {
    guard self.columns > columns else { return self }
    guard columns > 0 else { return ScreenText() }
    var clipped = ScreenText()
    var used = 0
    for cell in cells {
      guard used + cell.columns < columns else { break }
      clipped.cells.append(cell)
      used += cell.columns
    }
    clipped.cells.append(Cell(text: "…", columns: 1))
    return clipped
  }

  /// The same in lines of so many columns, 2 or more: one at least, which may be empty.
  ///
  /// They break at spaces where there are any; the space at a break goes.
  func wrapped(to columns: Int) -> [ScreenText] {
    var lines: [ScreenText] = []
    var line: [Cell] = []
    var used = 0
    for cell in cells {
      if used + cell.columns > columns {
        if cell.text == " " {
          lines.append(ScreenText(line))
          (line, used) = ([], 0)
          continue
        }
        if let space = line.lastIndex(where: { $0.text == " " }), space > 0 {
          lines.append(ScreenText(Array(line[..<space])))
          line = Array(line[(space + 1)...])
        } else {
          lines.append(ScreenText(line))
          line = []
        }
        used = line.reduce(0) { $0 + $1.columns }
      }
      line.append(cell)
      used += cell.columns
    }
    lines.append(ScreenText(line))
    return lines
  }

  /// The text with its own line breaks, each line wrapped.
  static func lines(of text: String, columns: Int) -> [ScreenText] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .flatMap { ScreenText(String($0)).wrapped(to: columns) }
  }

  init(_ cells: [Cell]) { self.cells = cells }

  private mutating func append(_ character: Character) {
    var text = ""
    var columns = 0
    var marks = 0
    for scalar in character.unicodeScalars {
      switch ScreenText.kind(of: scalar) {
      case .invisible: continue
      case .control:
        // CR LF is one character.
        if text != " " { text.append(" ") }
        columns = max(columns, 1)
      case .mark:
        marks += 1
        if marks <= ScreenText.mostMarks { text.unicodeScalars.append(scalar) }
      case .visible(let width):
        text.unicodeScalars.append(scalar)
        columns = min(2, max(columns, width) + (ScreenText.isRegional(scalar) ? columns : 0))
      }
    }
    guard !text.isEmpty else { return }
    // A mark without a letter would join what stands before it.
    if columns == 0 { (text, columns) = (" " + text, 1) }
    cells.append(Cell(text: text, columns: columns))
  }

  /// What a scalar is to a terminal.
  enum Kind { case control, invisible, mark, visible(Int) }

  static func kind(of scalar: Unicode.Scalar) -> Kind {
    if scalar.value < 0x7F { return scalar.value < 0x20 ? .control : .visible(1) }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return .control
    // It asks for the coloured picture of a sign, which terminals do not agree on the width of.
    case .nonspacingMark where scalar == "\u{FE0F}": return .invisible
    case .nonspacingMark, .enclosingMark: return .mark
    case .format:
      // It joins emoji to one; all else of this kind hides something or changes the direction.
      return scalar == "\u{200D}" ? .mark : .invisible
    case .surrogate, .unassigned, .privateUse: return .visible(isWide(scalar) ? 2 : 1)
    default: return .visible(isWide(scalar) ? 2 : 1)
    }
  }

  private static func isRegional(_ scalar: Unicode.Scalar) -> Bool {
    ("\u{1F1E6}"..."\u{1F1FF}").contains(scalar)
  }

  /// Whether a terminal gives it two columns (East Asian Width W or F, and emoji).
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x1100 { return false }
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(scalar.value)
  }

  // Of Unicode's EastAsianWidth.txt, neighbours joined where what lies between is not assigned.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE1F, 0xFE30...0xFE6F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF,
    0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335,
    0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3,
    0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
    0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567,
    0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F,
    0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF,
    0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A,
    0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
  ]
}

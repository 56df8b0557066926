/// Rows and columns for people: aligned, and cut to the terminal where there is one.
struct Table {
  private let headings: [String]
  private let rows: [[String]]
  private let flexible: Set<Int>
  private let narrowest: Int

  /// A table of rows with as many cells as there are headings.
  ///
  /// - Parameters:
  ///   - headings: what the columns are.
  ///   - rows: the cells; control characters in them become spaces.
  ///   - flexible: the columns that may be cut, by their place.
  ///   - narrowest: what they are cut to at most, in columns of the terminal.
  init(_ headings: [String], _ rows: [[String]], flexible: Set<Int>, narrowest: Int = 8) {
    self.headings = headings
    self.rows = rows.map { $0.map(Printable.text) }
    self.flexible = flexible
    self.narrowest = narrowest
  }

  /// The table as lines; headings and cuts only on a terminal, so that scripts get it all.
  func text(_ style: Style) -> String {
    let lines = style.resultsAreLive ? [headings] + rows : rows
    let widths = widths(of: lines, room: style.resultsAreLive ? style.width : nil)
    if style.resultsAreLive, widths.reduce(2 * (widths.count - 1), +) > style.width {
      return rows.map { blocks($0, width: style.width) }.joined(separator: "\n")
    }
    return lines.enumerated().map { index, cells in
      let line = self.line(cells, widths)
      return style.resultsAreLive && index == 0 ? style.paint(line, .dim, on: .results) : line
    }.joined(separator: "\n")
  }

  /// A row over several lines, where the terminal is too narrow for the table.
  private func blocks(_ cells: [String], width: Int) -> String {
    let names = headings.dropFirst().map { $0.prefix(1) + $0.dropFirst().lowercased() }
    let indent = names.reduce(0) { max($0, $1.count) } + 4
    let gap = "\n" + String(repeating: " ", count: indent)
    let rest = zip(names, cells.dropFirst()).map { name, cell in
      let lines = ScreenText(cell).wrapped(to: max(2, width - indent)).map(\.text)
      let start = "  \(name)" + String(repeating: " ", count: indent - 2 - name.count)
      return start + lines.joined(separator: gap)
    }
    let first = ScreenText(cells[0]).wrapped(to: max(2, width)).map(\.text)
    return (first + rest).joined(separator: "\n")
  }

  private func widths(of lines: [[String]], room: Int?) -> [Int] {
    var widths = headings.indices.map { column in
      lines.map { ScreenText.columns(of: $0[column]) }.max() ?? 0
    }
    guard let room else { return widths }
    var excess = widths.reduce(2 * (widths.count - 1), +) - room
    while excess > 0 {
      // The widest gives way first, so that no column suffers while another has room.
      let candidates = flexible.filter { widths[$0] > narrowest }
      guard let widest = candidates.max(by: { (widths[$0], $0) < (widths[$1], $1) }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let shown = ScreenText.cut(cell, to: widths[column])
      line += shown
      if column < cells.count - 1 {
        line += String(repeating: " ", count: widths[column] - ScreenText.columns(of: shown) + 2)
      }
    }
    return line
  }
}

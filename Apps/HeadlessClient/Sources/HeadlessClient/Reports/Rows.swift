/// Names and values in two columns.
enum Rows {
  static func text(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + Printable.text(value)
    }.joined(separator: "\n")
  }
}

/// The bytes of a database, read page by page and cell by cell, so that damage in one place hides
/// nothing elsewhere.
///
/// See the format of SQLite's files: a table without rowids is a tree of index pages, whose inner
/// pages hold rows as well.
struct DatabaseImage {
  private static let innerType: UInt8 = 0x02
  /// The table is the first thing in the file, which leaves the second page to its root.
  private static let root = 1
  /// What SQLite takes where nobody says otherwise; nor do we.
  private static let usualPageSize = 4096

  private let bytes: [UInt8]
  private let pageSize: Int
  private let usable: Int

  private init(_ bytes: [UInt8], pageSize: Int, reserved: Int = 0) {
    self.bytes = bytes
    self.pageSize = pageSize
    usable = pageSize - reserved
  }

  /// The rows of a database, as far as they can be read: in the order of the tree, and those of
  /// pages that the tree does not lead to any more as sequences of their own.
  static func rows(in bytes: [UInt8]) -> [[SalvagedRow]] {
    var sizes = [usualPageSize]
    // Some systems keep a few bytes of each page for themselves.
    var reserved = [0]
    if bytes.count > 20 {
      let named = bytes.shortNumber(at: 16)
      if named != usualPageSize, named.isPageSize { sizes.append(named) }
      if (1...32).contains(bytes[20]) { reserved.append(Int(bytes[20])) }
    }
    var best: (rows: Int, sequences: [[SalvagedRow]]) = (0, [])
    // What the header says may be damage; with other sizes than the true ones little is a row.
    for size in sizes {
      for reserved in reserved {
        let found = DatabaseImage(bytes, pageSize: size, reserved: reserved).sequences()
        let rows = found.reduce(0) { $0 + $1.count }
        if rows > best.rows { best = (rows, found) }
      }
    }
    return best.sequences
  }

  private var pageCount: Int { bytes.count / pageSize }

  private func sequences() -> [[SalvagedRow]] {
    var visited: Set<Int> = [0]
    var sequences: [[SalvagedRow]] = []
    for page in [DatabaseImage.root] + (0..<pageCount) where page < pageCount {
      guard !visited.contains(page) else { continue }
      let rows = rows(below: page, depth: 0, &visited)
      if !rows.isEmpty { sequences.append(rows) }
    }
    return sequences
  }

  private func rows(below page: Int, depth: Int, _ visited: inout Set<Int>) -> [SalvagedRow] {
    guard page > 0, page < pageCount, depth < 40, visited.insert(page).inserted else { return [] }
    let base = page * pageSize
    guard bytes[base] == DatabaseImage.innerType else {
      return cells(of: page, header: 8).compactMap { row(at: base + $0, in: page) }
    }
    var rows: [SalvagedRow] = []
    for cell in cells(of: page, header: 12) where cell + 4 <= usable {
      let child = Int(bytes.number(at: base + cell)) - 1
      rows += self.rows(below: child, depth: depth + 1, &visited)
      if let row = row(at: base + cell + 4, in: page) { rows.append(row) }
    }
    let last = Int(bytes.number(at: base + 8)) - 1
    return rows + self.rows(below: last, depth: depth + 1, &visited)
  }

  /// Where the cells of a page begin; more than there are, where their count is damaged.
  private func cells(of page: Int, header: Int) -> [Int] {
    let base = page * pageSize
    let count = bytes.shortNumber(at: base + 3)
    let most = (usable - header) / 2
    // What is free is overwritten with zeros, so that a count that is too low does not matter.
    let places = (0..<most).lazy.map { bytes.shortNumber(at: base + header + 2 * $0) }
    // SQLite, too, takes of a pointer only what fits into the page.
    return places.enumerated().prefix { $0 < count || $1 != 0 }.map { $1 & (pageSize - 1) }
      .filter { $0 >= header && $0 < usable }
  }
}

extension DatabaseImage {
  /// The row whose cell begins at a place, or nil where what stands there is none.
  private func row(at start: Int, in page: Int) -> SalvagedRow? {
    let end = page * pageSize + usable
    var position = start
    guard let length = varint(&position, end), length > 0, length <= bytes.count,
      let content = payload(length, at: position, end)
    else { return nil }
    return DatabaseImage.row(content)
  }

  /// What a cell holds, the pages that it overflows into included.
  private func payload(_ length: Int, at start: Int, _ end: Int) -> [UInt8]? {
    let most = (usable - 12) * 64 / 255 - 23
    let least = (usable - 12) * 32 / 255 - 23
    var local = length
    if length > most {
      let fitting = least + (length - least) % (usable - 4)
      local = fitting <= most ? fitting : least
    }
    guard start + local <= end else { return nil }
    var content = Array(bytes[start..<start + local])
    guard length > local else { return content }
    guard start + local + 4 <= end else { return nil }
    var next = Int(bytes.number(at: start + local)) - 1
    while content.count < length {
      guard next > 0, next < pageCount else { return nil }
      let base = next * pageSize
      let part = min(length - content.count, usable - 4)
      content += bytes[base + 4..<base + 4 + part]
      next = Int(bytes.number(at: base)) - 1
    }
    // What the last page names is no matter to SQLite either.
    return content
  }

  /// A record of a small number and two blobs, and of nothing else.
  private static func row(_ content: [UInt8]) -> SalvagedRow? {
    var position = 0
    let record = DatabaseImage(content, pageSize: content.count)
    guard let header = record.varint(&position, content.count), header <= content.count,
      let spaceType = record.varint(&position, header),
      let nameType = record.varint(&position, header), nameType >= 12, nameType % 2 == 0,
      let valueType = record.varint(&position, header), valueType >= 12, valueType % 2 == 0,
      position == header
    else { return nil }
    let (nameCount, valueCount) = ((nameType - 12) / 2, (valueType - 12) / 2)
    var number = 0
    // A byte or two; or 0 and 1, which take none.
    switch spaceType {
    case 1, 2:
      guard position + spaceType <= content.count else { return nil }
      for byte in content[position..<position + spaceType] { number = number << 8 | Int(byte) }
      position += spaceType
    case 8, 9: number = spaceType - 8
    default: return nil
    }
    guard let space = UInt8(exactly: number), nameCount <= Keyring.rowNameLength,
      position + nameCount + valueCount == content.count
    else { return nil }
    return SalvagedRow(
      space: space,
      name: Array(content[position..<position + nameCount]),
      value: Array(content[(position + nameCount)...])
    )
  }

  private func varint(_ position: inout Int, _ end: Int) -> Int? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard position < end else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return Int(exactly: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int(exactly: value) }
    }
    return nil
  }
}

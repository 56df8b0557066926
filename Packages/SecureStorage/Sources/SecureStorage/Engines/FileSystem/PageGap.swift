/// The room in a page of SQLite's tree that holds nothing by now, and may hold old rows.
///
/// `secure_delete` overwrites a row where it lies, but when the tree moves rows from one page to
/// another their copies stay behind between the list of cells and the cells, which SQLite never
/// reads.
enum PageGap {
  /// What lies between the list of cells and the cells of a page of a tree; nil for all else.
  static func find(in page: UnsafeRawBufferPointer, at offset: Int64) -> Range<Int>? {
    guard page.count >= 512, page.count & (page.count - 1) == 0,
      offset % Int64(page.count) == 0
    else { return nil }
    // The first page begins with the file's header.
    let header = offset == 0 ? 100 : 0
    func number(_ place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
    let listStart: Int
    // Pages of other kinds begin with a page's number, whose first byte is 0 in any file of less
    // than 128 GB.
    switch page[header] {
    case 2, 5: listStart = header + 12
    case 10, 13: listStart = header + 8
    default: return nil
    }
    let start = listStart + 2 * number(header + 3)
    let cells = number(header + 5)
    let end = cells == 0 ? 65_536 : cells
    return start < end && end <= page.count ? start..<end : nil
  }
}

import Testing

@testable import SecureStorage

/// What SQLite leaves in the gaps of its pages does not reach the database.
@Suite struct ScrubbingTests {
  /// A page of a tree with so many cells, which begin at `start`.
  private func page(kind: UInt8, cells: Int, start: Int, header: Int = 0, size: Int = 4096)
    -> [UInt8]
  {
    var page = [UInt8](repeating: 0xEE, count: size)
    page[header] = kind
    page[header + 3] = UInt8(cells >> 8)
    page[header + 4] = UInt8(cells & 0xFF)
    page[header + 5] = UInt8(start >> 8 & 0xFF)
    page[header + 6] = UInt8(start & 0xFF)
    return page
  }

  private func gap(_ page: [UInt8], at offset: Int64 = 4096) -> Range<Int>? {
    page.withUnsafeBytes { PageGap.find(in: $0, at: offset) }
  }

  @Test(arguments: [(10, 8), (13, 8), (2, 12), (5, 12)] as [(UInt8, Int)])
  func `the gap lies between the list of cells and the cells`(kind: UInt8, list: Int) {
    #expect(gap(page(kind: kind, cells: 7, start: 3000)) == list + 14..<3000)
    let first = page(kind: kind, cells: 7, start: 3000, header: 100)
    #expect(gap(first, at: 0) == 100 + list + 14..<3000)
    #expect(gap(page(kind: kind, cells: 0, start: 4096)) == list..<4096)
    #expect(
      gap(page(kind: kind, cells: 3, start: 0, size: 65_536), at: 65_536) == list + 6..<65_536
    )
  }

  @Test func `nothing is a gap in pages of other kinds, full or damaged ones, and parts of them`() {
    #expect(gap(page(kind: 0, cells: 7, start: 3000)) == nil)
    #expect(gap(page(kind: 1, cells: 7, start: 3000)) == nil)
    #expect(gap(page(kind: 10, cells: 1496, start: 3000)) == nil)
    #expect(gap(page(kind: 10, cells: 2000, start: 3000)) == nil)
    #expect(gap(page(kind: 10, cells: 7, start: 5000)) == nil)
    #expect(gap(page(kind: 10, cells: 7, start: 300), at: 4097) == nil)
    #expect(gap(Array(page(kind: 10, cells: 7, start: 300).prefix(4095))) == nil)
    #expect(gap(Array(page(kind: 10, cells: 7, start: 30).prefix(24))) == nil)
  }
}

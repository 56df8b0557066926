/// The sealed list of what a namespace holds: tells *absent* from *vanished*, and the last
/// version of a value from an older one.
///
/// Up to 64 entries stand in the manifest itself. Beyond that they are spread over pages, rows
/// of their own, by the first bits of their rows' names, and the manifest holds each page's tag:
/// a read opens one page, a write replaces one, however many entries there are.
struct Manifest: Equatable, Sendable {
  /// When the value was last written, and the tag of its row.
  struct Entry: Hashable, Sendable {
    let generation: UInt64
    let tag: RowTag
  }

  typealias Page = [KeyName: Entry]

  enum Body: Equatable, Sendable {
    case inline(Page)
    /// As many as a power of two; nil for a page without entries, which has no row.
    case pages([RowTag?])
  }

  /// How many entries the namespace has.
  var count: Int
  var body: Body

  static let empty = Manifest(count: 0, body: .inline([:]))

  /// How many pages there are; 1 where the entries are inline.
  var pageCount: Int {
    if case .pages(let tags) = body { tags.count } else { 1 }
  }

  /// The page of a row among so many pages, a power of two: the first bits of its name, so that
  /// rows of a page lie side by side in the database.
  static func page(of row: RowName, among count: Int) -> Int {
    let prefix = row.bytes.prefix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(prefix >> UInt64(32 - count.trailingZeroBitCount))
  }
}

extension Manifest {
  private static let version: UInt8 = 1
  private static let most = 1 << 16

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    writer.number(Manifest.version)
    writer.number(UInt32(truncatingIfNeeded: count))
    writer.number(UInt32(truncatingIfNeeded: pageCount))
    switch body {
    case .inline(let page): writer.raw(Manifest.encode(page))
    case .pages(let tags):
      let none = [UInt8](repeating: 0, count: RowTag.length)
      for tag in tags { writer.raw(tag?.bytes ?? none) }
    }
    return writer.bytes
  }

  init?(encoded: [UInt8]) {
    var reader = ByteReader(encoded)
    guard reader.number(UInt8.self) == Manifest.version, let count = reader.number(UInt32.self),
      let pages = reader.number(UInt32.self), pages <= Manifest.most,
      pages.nonzeroBitCount == 1
    else { return nil }
    if pages == 1 {
      guard let page = Manifest.decode(Array(reader.rest())), page.count == Int(count) else {
        return nil
      }
      self.init(count: Int(count), body: .inline(page))
      return
    }
    let none = RowTag([UInt8](repeating: 0, count: RowTag.length))
    var tags: [RowTag?] = []
    for _ in 0..<pages {
      guard let bytes = reader.raw(RowTag.length), let tag = RowTag(bytes) else { return nil }
      tags.append(tag == none ? nil : tag)
    }
    guard reader.isAtEnd else { return nil }
    self.init(count: Int(count), body: .pages(tags))
  }

  static func encode(_ page: Page) -> [UInt8] {
    var writer = ByteWriter(capacity: page.count * 64)
    for (name, entry) in page {
      writer.short(Array(name.text.utf8))
      writer.number(entry.generation)
      writer.raw(entry.tag.bytes)
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) -> Page? {
    var reader = ByteReader(bytes)
    var page: Page = [:]
    while !reader.isAtEnd {
      guard let name = reader.short(), let generation = reader.number(UInt64.self),
        let tag = reader.raw(RowTag.length).flatMap({ RowTag($0) })
      else { return nil }
      let key = KeyName(unchecked: String(decoding: name, as: UTF8.self))
      page[key] = Entry(generation: generation, tag: tag)
    }
    return page
  }
}

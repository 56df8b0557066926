/// The sealed list of what a namespace holds: tells *absent* from *vanished*, and the last
/// version of a value from an older one.
///
/// Up to 64 entries stand in the manifest itself. Beyond that they are spread over leaves, rows
/// of their own, by the first bits of their rows' names. The manifest holds the tags of up to 64
/// leaves, and beyond that the tags of inner pages, which hold those of 64 leaves each: a read
/// opens one leaf, a write replaces one leaf and what stands above it, and both stay small at a
/// million entries.
struct Manifest: Equatable, Sendable {
  /// When the value was last written, and the tag of its row.
  struct Entry: Hashable, Sendable {
    let generation: UInt64
    let tag: RowTag
  }

  typealias Leaf = KeyTable<Entry>

  enum Body: Equatable, Sendable {
    case inline(Leaf)
    /// Of the leaves, or of the inner pages where there are any; nil for one without entries,
    /// which has no row.
    case tags([RowTag?])
  }

  /// How many entries the namespace has.
  var count: Int
  /// A power of two; 1 where the entries are inline.
  var leafCount: Int
  var body: Body

  static let empty = Manifest(count: 0, leafCount: 1, body: .inline([:]))

  /// How many inner pages so many leaves need.
  static func innerPages(for leafCount: Int) -> Int {
    leafCount > StoreFormat.leavesPerInnerPage ? leafCount / StoreFormat.leavesPerInnerPage : 0
  }

  /// The leaf of a row among so many leaves, a power of two: the first bits of its name, so that
  /// rows of a leaf lie side by side in the database.
  static func leaf(of row: RowName, among count: Int) -> Int {
    let prefix = row.bytes.prefix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(prefix >> UInt64(32 - count.trailingZeroBitCount))
  }
}

extension Manifest {
  private static let version: UInt8 = 1
  private static let mostLeaves = 1 << 16

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 1024)
    writer.number(Manifest.version)
    writer.number(UInt32(truncatingIfNeeded: count))
    writer.number(UInt32(truncatingIfNeeded: leafCount))
    switch body {
    case .inline(let leaf): Manifest.encode(leaf, &writer)
    case .tags(let tags): for tag in tags { writer.tag(tag) }
    }
    return writer.bytes
  }

  /// Reads a manifest's content.
  ///
  /// - Throws: `newerFormat` for another version, `damaged` for another form.
  init(encoded: [UInt8]) throws(StorageError) {
    let damage = StorageError.damaged("The list of what a namespace holds is damaged")
    var reader = ByteReader(encoded)
    guard reader.number(UInt8.self) == Manifest.version else {
      throw .newerFormat("The list of what a namespace holds has a form that is not known")
    }
    guard let count = reader.number(UInt32.self), let leaves = reader.number(UInt32.self),
      leaves <= Manifest.mostLeaves, leaves.nonzeroBitCount == 1
    else { throw damage }
    self.count = Int(count)
    leafCount = Int(leaves)
    if leaves == 1 {
      guard let leaf = Manifest.decodeLeaf(&reader), leaf.count == Int(count) else { throw damage }
      body = .inline(leaf)
    } else {
      let inner = Manifest.innerPages(for: leafCount)
      guard let tags = Manifest.decodeTags(&reader, count: inner > 0 ? inner : leafCount) else {
        throw damage
      }
      body = .tags(tags)
    }
  }

  static func encode(_ leaf: Leaf) -> [UInt8] {
    var writer = ByteWriter(capacity: leaf.count * 64)
    encode(leaf, &writer)
    return writer.bytes
  }

  private static func encode(_ leaf: Leaf, _ writer: inout ByteWriter) {
    leaf.forEach { name, entry in
      writer.short(name)
      writer.number(entry.generation)
      writer.tag(entry.tag)
    }
  }

  static func encode(innerPage tags: [RowTag?]) -> [UInt8] {
    var writer = ByteWriter(capacity: tags.count * RowTag.length)
    for tag in tags { writer.tag(tag) }
    return writer.bytes
  }

  static func decode(innerPage bytes: [UInt8]) -> [RowTag?]? {
    var reader = ByteReader(bytes)
    return decodeTags(&reader, count: StoreFormat.leavesPerInnerPage)
  }

  private static func decodeTags(_ reader: inout ByteReader, count: Int) -> [RowTag?]? {
    var tags: [RowTag?] = []
    tags.reserveCapacity(count)
    for _ in 0..<count {
      guard let tag = reader.tag() else { return nil }
      tags.append(tag)
    }
    return reader.isAtEnd ? tags : nil
  }

  static func decode(leaf bytes: [UInt8]) -> Leaf? {
    var reader = ByteReader(bytes)
    return decodeLeaf(&reader)
  }

  private static func decodeLeaf(_ reader: inout ByteReader) -> Leaf? {
    // Entries are seldom shorter; a table that grows is filled again and again.
    var leaf = Leaf(minimumCapacity: reader.left / 40)
    while !reader.isAtEnd {
      guard let name = reader.short(), let generation = reader.number(UInt64.self),
        let tag = reader.tag() ?? nil
      else { return nil }
      let key = KeyName(unchecked: String(decoding: name, as: UTF8.self))
      leaf[key] = Entry(generation: generation, tag: tag)
    }
    return leaf
  }
}

/// What ties a store's parts together: which list of each namespace, and which keyset, is the
/// last one.
///
/// Without it, one namespace's rows, or the keyset, could be put back from an older copy as a
/// whole.
struct Anchor: Equatable, Sendable {
  private static let version: UInt8 = 1

  /// The number of the vault's counter after the commit; 0 where the vault does not count.
  var counter: UInt64
  /// How often the active key has sealed, this anchor included.
  var seals: UInt64
  /// The tag of the keyset's row.
  var keyset: RowTag
  private var lists: [RowTag?]

  /// The anchor of a store whose lists are yet to be written.
  init(counter: UInt64, seals: UInt64, keyset: RowTag) {
    self.counter = counter
    self.seals = seals
    self.keyset = keyset
    lists = Array(repeating: nil, count: Int(StoreNamespace.count))
  }

  /// The tag of a namespace's manifest; nil where the namespace was wiped.
  subscript(namespace: StoreNamespace) -> RowTag? {
    get { lists[Int(namespace.rawValue) - 1] }
    set { lists[Int(namespace.rawValue) - 1] = newValue }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 17 + (lists.count + 1) * RowTag.length)
    writer.number(Anchor.version)
    writer.number(counter)
    writer.number(seals)
    for tag in lists { writer.tag(tag) }
    writer.tag(keyset)
    return writer.bytes
  }

  /// Reads an anchor's content.
  ///
  /// - Throws: `newerFormat` for another version, `damaged` for another form.
  init(encoded: [UInt8]) throws(StorageError) {
    var reader = ByteReader(encoded)
    guard reader.number(UInt8.self) == Anchor.version else {
      throw .newerFormat("The store's anchor has a form that this build does not know")
    }
    let counter = reader.number(UInt64.self)
    let seals = reader.number(UInt64.self)
    var lists: [RowTag?] = []
    for _ in 0..<StoreNamespace.count { lists.append(reader.tag() ?? nil) }
    guard let counter, let seals, let keyset = reader.tag() ?? nil, reader.isAtEnd else {
      throw .damaged("The store's anchor is damaged")
    }
    self.counter = counter
    self.seals = seals
    self.keyset = keyset
    self.lists = lists
  }
}

/// The rows that were found in a damaged database, by what proves them.
///
/// A row's space and name may be the very thing that is damaged, and old copies may lie about: so
/// a sealed row is looked for by the tag that the list above it names.
struct FoundRows {
  private let byTag: [RowTag: [[UInt8]]]
  private let own: [[UInt8]: [[UInt8]]]
  private let values: [UInt8: Set<[UInt8]>]

  init(_ rows: [SalvagedRow]) {
    var (byTag, own) = ([RowTag: [[UInt8]]](), [[UInt8]: [[UInt8]]]())
    var values: [UInt8: Set<[UInt8]>] = [:]
    for row in rows {
      if let tag = RowTag(ofRow: row.value) { byTag[tag, default: []].append(row.value) }
      switch row.name.count {
      case 0, 4: break
      case Keyring.rowNameLength: values[row.space, default: []].insert(row.name)
      default: own[row.name, default: []].append(row.value)
      }
    }
    (self.byTag, self.own, self.values) = (byTag, own, values)
  }

  /// Every copy that was found of one of the store's own rows.
  func own(_ name: RowName) -> [[UInt8]] { own[name.bytes] ?? [] }

  /// What the checksummed copies of one of the store's own rows hold.
  func payloads(_ name: RowName) -> [[UInt8]] {
    own(name).compactMap { Checksummed.payload(of: $0) }
  }

  /// The first row with a tag that `open` makes something of.
  func first<Content>(_ tag: RowTag, _ open: ([UInt8]) -> Content?) -> Content? {
    for row in byTag[tag] ?? [] {
      if let content = open(row) { return content }
    }
    return nil
  }

  /// How many values seem to lie in a namespace.
  func valueCount(in namespace: StoreNamespace) -> Int { values[namespace.rawValue]?.count ?? 0 }
}

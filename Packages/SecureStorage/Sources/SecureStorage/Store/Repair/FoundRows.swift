/// The rows that were found in a damaged database, by what proves them.
///
/// A row's space and name may be the very thing that is damaged, and old copies may lie about: so
/// a sealed row is looked for by the tag that the list above it names. What SQLite finds under
/// its name counts as well: a repair must not lose what every reader still gets.
struct FoundRows {
  private let byTag: [RowTag: [[UInt8]]]
  private let own: [[UInt8]: [[UInt8]]]
  private let values: [UInt8: Set<[UInt8]>]
  private let reads: OrdinaryReads

  init(_ rows: [SalvagedRow], _ reads: OrdinaryReads = OrdinaryReads()) {
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
    (self.byTag, self.own, self.values, self.reads) = (byTag, own, values, reads)
  }

  /// Whether nothing was found that only another format has.
  var isOfThisFormat: Bool { reads.isOfThisFormat }

  /// Every copy that was found of one of the store's own rows.
  func own(_ name: RowName) -> [[UInt8]] { reads.rows(name) + (own[name.bytes] ?? []) }

  /// What the checksummed copies of one of the store's own rows hold.
  func payloads(_ name: RowName) -> [[UInt8]] {
    own(name).compactMap { Checksummed.payload(of: $0) }
  }

  /// The first row with a tag that `open` makes something of.
  ///
  /// - Parameters:
  ///   - tag: What the list above the row names.
  ///   - name: Where the row belongs; it may be found elsewhere.
  ///   - open: Makes something of it where it is the right one.
  /// - Returns: What that is; nil where there is no such row.
  func first<Content>(
    _ tag: RowTag,
    _ name: RowName,
    _ open: ([UInt8]) -> Content?
  ) -> Content? {
    for row in byTag[tag] ?? [] {
      if let content = open(row) { return content }
    }
    for row in reads.rows(name) where RowTag(ofRow: row) == tag {
      if let content = open(row) { return content }
    }
    return nil
  }

  /// How many values seem to lie in a namespace.
  func valueCount(in namespace: StoreNamespace) -> Int { values[namespace.rawValue]?.count ?? 0 }
}

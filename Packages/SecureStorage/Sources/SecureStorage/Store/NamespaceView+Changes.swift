/// Changes of a list, in a transaction.
extension NamespaceView {
  private static let fewLeaves = 16

  /// Sets or, with nil, removes an entry; the rows follow with ``write(_:_:)``.
  ///
  /// - Throws: `invalidInput` where there are too many already.
  mutating func set(
    _ name: KeyName,
    _ row: RowName,
    to entry: Manifest.Entry?,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    let index = Manifest.leaf(of: row, among: leafCount)
    try loadLeaf(index, writer, sealer)
    if entry != nil, count >= StoreLimits.entries, leaves[index]?.leaf[name] == nil {
      throw .invalidInput(
        "Namespace \(namespace.rawValue) holds \(count) entries",
        advice: "More are not allowed: remove some."
      )
    }
    // Changed where it lies: a copy of a leaf for each entry would be dear.
    count += leaves[index]?.set(name, to: entry) ?? 0
    dirty.insert(index)
  }

  /// Writes what changed: leaves, then inner pages, then the manifest.
  mutating func write(
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    guard !dirty.isEmpty || !dirtyInner.isEmpty || isStale else { return }
    if count > leafCount * StoreFormat.entriesPerLeaf { try spread(writer, sealer) }
    if leafCount > 1 { try writeParts(writer, sealer) }
    // The room for a few is kept: most transactions change as many as the one before.
    dirty.removeAll(keepingCapacity: dirty.count <= NamespaceView.fewLeaves)
    dirtyInner.removeAll(keepingCapacity: dirtyInner.count <= NamespaceView.fewLeaves)
    isStale = false
    let manifest = Manifest(
      count: count,
      leafCount: leafCount,
      body: leafCount == 1 ? .inline(leaves[0]?.leaf ?? [:]) : .tags(tags)
    )
    let item = SealedItem.manifest(of: namespace)
    let row = RowName.manifest(of: namespace)
    tag = try put(manifest.encoded(), row, item, writer, sealer)
    if leafCount == 1 { leaves[0]?.tag = tag }
    if wiped != nil { try writer.removeBoth(.wipedMark(of: namespace)) }
    wiped = nil
  }

  private mutating func writeParts(
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    for index in dirty.sorted() {
      let leaf = leaves[index]?.leaf ?? [:]
      let (row, item) = (RowName.leaf(index, of: namespace), SealedItem.leaf(index, of: namespace))
      var tag: RowTag?
      if leaf.isEmpty {
        try writer.removeBoth(row)
      } else {
        tag = try put(Manifest.encode(leaf), row, item, writer, sealer)
      }
      leaves[index]?.tag = tag
      if innerCount > 0 {
        let inner = index / StoreFormat.leavesPerInnerPage
        try loadInnerPage(inner, writer, sealer)
        innerPages[inner]?.tags[index % StoreFormat.leavesPerInnerPage] = tag
        innerPages[inner]?.tag = nil
        dirtyInner.insert(inner)
      } else {
        tags[index] = tag
      }
    }
    for index in dirtyInner.sorted() {
      let content = innerPages[index]?.tags ?? []
      let row = RowName.innerPage(index, of: namespace)
      var tag: RowTag?
      if content.allSatisfy({ $0 == nil }) {
        try writer.removeBoth(row)
      } else {
        let item = SealedItem.innerPage(index, of: namespace)
        tag = try put(Manifest.encode(innerPage: content), row, item, writer, sealer)
      }
      innerPages[index]?.tag = tag
      tags[index] = tag
    }
  }

  private func put(
    _ content: [UInt8],
    _ row: RowName,
    _ item: SealedItem,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) -> RowTag {
    let sealed = sealer.seal(content, as: item, generation: writer.nextGeneration)
    try writer.putTwice(row, sealed.bytes)
    return sealed.tag
  }

  /// Four times as many leaves, before any of them is too long.
  private mutating func spread(
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    let all = try entries(writer, sealer)
    while count > leafCount * StoreFormat.entriesPerLeaf { leafCount *= 4 }
    var spread = [Manifest.Leaf](repeating: [:], count: leafCount)
    all.forEach { name, entry in
      let row = sealer.keyring.rowName(name, in: namespace)
      spread[Manifest.leaf(of: row, among: leafCount)][name] = entry
    }
    leaves = [:]
    for (index, leaf) in spread.enumerated() { leaves[index] = LeafPage(tag: nil, leaf: leaf) }
    dirty = Set(0..<leafCount)
    innerPages = Array(repeating: nil, count: innerCount)
    tags = Array(repeating: nil, count: innerCount > 0 ? innerCount : leafCount)
  }

  /// Writes the whole list of a namespace of which there is nothing yet.
  ///
  /// - Returns: The tag of its list.
  static func remake(
    _ namespace: StoreNamespace,
    with entries: Manifest.Leaf,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) -> RowTag? {
    var view = NamespaceView(namespace)
    view.leaves[0] = LeafPage(tag: nil, leaf: entries)
    view.count = entries.count
    view.dirty = [0]
    try view.write(writer, sealer)
    return view.tag
  }

  /// An empty namespace, as it is made with the store.
  ///
  /// - Returns: The tag of its list.
  static func create(
    _ namespace: StoreNamespace,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) -> RowTag {
    let view = NamespaceView(namespace)
    let item = SealedItem.manifest(of: namespace)
    let row = RowName.manifest(of: namespace)
    return try view.put(Manifest.empty.encoded(), row, item, writer, sealer)
  }
}

/// The parts of a list, read when they are first needed.
extension NamespaceView {
  /// What the manifest, or the inner page, says that a leaf's tag is.
  mutating func leafTag(
    _ index: Int,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> RowTag? {
    guard innerCount > 0 else { return tags[index] }
    let inner = index / StoreFormat.leavesPerInnerPage
    try loadInnerPage(inner, reader, sealer)
    return innerPages[inner]?.tags[index % StoreFormat.leavesPerInnerPage]
  }

  mutating func loadLeaf(
    _ index: Int,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) {
    if leafCount == 1 {
      if leaves[0] == nil { leaves[0] = LeafPage(tag: nil, leaf: [:]) }
      return
    }
    if dirty.contains(index) { return }
    let expected = try leafTag(index, reader, sealer)
    if let known = leaves[index], known.tag == expected { return }
    guard let expected else {
      leaves[index] = LeafPage(tag: nil, leaf: [:])
      return
    }
    let (row, item) = (RowName.leaf(index, of: namespace), SealedItem.leaf(index, of: namespace))
    let leaf = try part(row, item, expected, reader, sealer) { Manifest.decode(leaf: $0) }
    leaves[index] = LeafPage(tag: expected, leaf: leaf)
  }

  mutating func loadInnerPage(
    _ index: Int,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) {
    let expected = tags[index]
    if dirtyInner.contains(index) { return }
    if let known = innerPages[index], known.tag == expected { return }
    guard let expected else {
      let none = [RowTag?](repeating: nil, count: StoreFormat.leavesPerInnerPage)
      innerPages[index] = InnerPage(tag: nil, tags: none)
      return
    }
    let row = RowName.innerPage(index, of: namespace)
    let item = SealedItem.innerPage(index, of: namespace)
    let tags = try part(row, item, expected, reader, sealer) { Manifest.decode(innerPage: $0) }
    innerPages[index] = InnerPage(tag: expected, tags: tags)
  }

  private func part<Content>(
    _ name: RowName,
    _ item: SealedItem,
    _ expected: RowTag,
    _ reader: any StorageReader,
    _ sealer: Sealer,
    _ decode: ([UInt8]) -> Content?
  ) throws(StorageError) -> Content {
    let found = try reader.sound(name) { row throws(StorageError) in
      guard RowTag(ofRow: row) == expected else { return nil as Content? }
      return sealer.open(row, as: item).flatMap { decode($0.plaintext) }
    }
    switch found {
    case .sound(let content): return content
    case .missing:
      throw .damaged("A part of the list of namespace \(namespace.rawValue) is missing")
    case .bad:
      throw .tampered(
        "A part of the list of namespace \(namespace.rawValue) is not authentic, or an old copy"
      )
    }
  }
}

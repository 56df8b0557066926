internal import SessionModels

/// A change of the data key, in steps.
extension NamespaceView {
  /// Seals anew the values that another key than the active one still seals, leaf by leaf.
  ///
  /// A place in the list is the beginning of a row's name, as a number: it stays the same place
  /// when there are more leaves.
  ///
  /// - Parameters:
  ///   - place: Where to begin.
  ///   - most: After so many entries it ends with the leaf.
  ///   - writer: The transaction.
  ///   - sealer: Has the keys.
  /// - Returns: How many entries it went through, and where to go on; nil at the end.
  /// - Throws: `damaged`, `tampered` for a value that cannot be opened.
  mutating func reseal(
    from place: UInt32,
    most: Int,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) -> (count: Int, next: UInt32?) {
    let shift = 32 - leafCount.trailingZeroBitCount
    var index = Int(UInt64(place) >> UInt64(shift))
    var done = 0
    while index < leafCount, done < most {
      try loadLeaf(index, writer, sealer)
      // In the order of the file, in which the database's pages are changed one after the other.
      let entries = (leaves[index]?.leaf ?? [:]).map { name, entry in
        (row: sealer.keyring.rowName(name, in: namespace), name: name, entry: entry)
      }
      for item in entries.sorted(by: { $0.row.prefix < $1.row.prefix }) {
        try reseal(item.name, item.row, item.entry, index, writer, sealer)
      }
      done += entries.count
      index += 1
    }
    return (done, index < leafCount ? UInt32(truncatingIfNeeded: index << shift) : nil)
  }

  private mutating func reseal(
    _ name: KeyName,
    _ row: RowName,
    _ entry: Manifest.Entry,
    _ leaf: Int,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    var (opened, bytes) = try content(name, row, entry, writer, sealer)
    defer { opened.wipe() }
    guard Sealer.keyID(ofRow: bytes) != sealer.keyring.activeID else { return }
    let generation = writer.nextGeneration
    let item = SealedItem.value(name, in: namespace)
    let sealed = sealer.seal(opened.plaintext, as: item, generation: generation)
    try writer.put(row, sealed.bytes)
    leaves[leaf]?.leaf[name] = Manifest.Entry(generation: generation, tag: sealed.tag)
    leaves[leaf]?.tag = nil
    dirty.insert(leaf)
  }

  /// Has every part of the list sealed anew that another key still seals, or whose copies are not
  /// both there.
  mutating func touchStale(
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    guard wiped == nil else { return }
    isStale = try !isCurrent(.manifest(of: namespace), writer, sealer)
    guard leafCount > 1 else { return }
    for index in 0..<leafCount where try leafTag(index, writer, sealer) != nil {
      if try isCurrent(.leaf(index, of: namespace), writer, sealer) { continue }
      try loadLeaf(index, writer, sealer)
      dirty.insert(index)
    }
    for index in 0..<innerCount where tags[index] != nil {
      if try isCurrent(.innerPage(index, of: namespace), writer, sealer) { continue }
      try loadInnerPage(index, writer, sealer)
      dirtyInner.insert(index)
    }
  }

  private func isCurrent(
    _ name: RowName,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) -> Bool {
    guard let row = try writer.row(name), try writer.row(name.copy) == row else { return false }
    return Sealer.keyID(ofRow: row) == sealer.keyring.activeID
  }
}

extension RowName {
  /// The first 8 bytes as a number.
  fileprivate var prefix: UInt64 {
    bytes.withUnsafeBytes {
      $0.count < 8 ? 0 : UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
    }
  }
}

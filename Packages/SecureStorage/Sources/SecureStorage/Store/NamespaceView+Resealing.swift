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
      var entries: [(row: RowName, name: KeyName, entry: Manifest.Entry)] = []
      leaves[index]?.leaf.forEach { name, entry in
        entries.append((sealer.keyring.rowName(name, in: namespace), name, entry))
      }
      // Both in the order of the file, so that each of its pages is looked for once.
      var rows = try rows(ofLeaf: index, writer)[...]
      for item in entries.sorted(by: { $0.row.isBefore($1.row) }) {
        while let row = rows.first, row.name.isBefore(item.row) { rows.removeFirst() }
        let row = rows.first.flatMap { $0.name == item.row ? $0.bytes : nil }
        try reseal(item.name, item.row, row, item.entry, index, writer, sealer)
      }
      done += entries.count
      index += 1
    }
    return (done, index < leafCount ? UInt32(truncatingIfNeeded: index << shift) : nil)
  }

  /// The rows of the values that a leaf may list.
  private func rows(
    ofLeaf index: Int,
    _ writer: any StorageWriter
  ) throws(StorageError) -> [(name: RowName, bytes: [UInt8])] {
    let shift = 32 - leafCount.trailingZeroBitCount
    // The prefix alone comes before each name that begins with it.
    func start(_ index: Int) -> [UInt8] {
      UInt32(truncatingIfNeeded: index << shift).bigEndianBytes + [0]
    }
    var rows: [(name: RowName, bytes: [UInt8])] = []
    let end = index + 1 < leafCount ? start(index + 1) : nil
    try writer.rows(in: namespace.rawValue, from: start(index), upTo: end) { name, row in
      guard name.count == Keyring.rowNameLength else { return }
      rows.append((RowName(space: namespace.rawValue, bytes: name), row))
    }
    return rows
  }

  private mutating func reseal(
    _ name: KeyName,
    _ rowName: RowName,
    _ row: [UInt8]?,
    _ entry: Manifest.Entry,
    _ leaf: Int,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    let item = SealedItem.value(name, in: namespace)
    var opened = try opened(row, as: item, name, entry, sealer)
    defer { opened.wipe() }
    guard let row, Sealer.keyID(ofRow: row) != sealer.keyring.activeID else { return }
    let generation = writer.nextGeneration
    let sealed = sealer.seal(opened.plaintext, as: item, generation: generation)
    try writer.put(rowName, sealed.bytes)
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
  /// Whether the bytes of this name come before those of another.
  fileprivate func isBefore(_ other: RowName) -> Bool {
    let (mine, theirs) = (prefix, other.prefix)
    return mine == theirs ? bytes.lexicographicallyPrecedes(other.bytes) : mine < theirs
  }

  /// The first 8 bytes as a number.
  private var prefix: UInt64 {
    bytes.withUnsafeBytes {
      $0.count < 8 ? 0 : UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
    }
  }
}

internal import SessionModels

extension NamespaceView {
  /// The value that the manifest's entry names; never another one, and never nothing.
  ///
  /// - Returns: The value, and its row.
  /// - Throws: `damaged` where its row is missing, `tampered` where it is not the authentic
  ///   row that was last written.
  func value(
    _ name: KeyName,
    _ rowName: RowName,
    _ entry: Manifest.Entry,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> (secret: Secret, row: [UInt8]) {
    var (opened, row) = try content(name, rowName, entry, reader, sealer)
    defer { opened.wipe() }
    guard let value = ValueContent.value(in: opened.plaintext, of: name) else {
      throw .tampered("The entry “\(name.text)” holds another one")
    }
    return (value, row)
  }

  /// What the row of an entry seals, which the caller wipes.
  private func content(
    _ name: KeyName,
    _ rowName: RowName,
    _ entry: Manifest.Entry,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> (opened: Sealer.OpenedRow, row: [UInt8]) {
    let row = try reader.row(rowName)
    let item = SealedItem.value(name, in: namespace)
    return (try opened(row, as: item, name, entry, sealer), row ?? [])
  }

  /// Opens the row of an entry; nil stands for one that is not there.
  func opened(
    _ row: [UInt8]?,
    as item: SealedItem,
    _ name: KeyName,
    _ entry: Manifest.Entry,
    _ sealer: Sealer
  ) throws(StorageError) -> Sealer.OpenedRow {
    guard let row else {
      throw .damaged("The entry “\(name.text)” is missing from the file, but was not removed")
    }
    guard var opened = sealer.open(row, as: item) else {
      throw .tampered("The entry “\(name.text)” is not authentic")
    }
    guard RowTag(ofRow: row) == entry.tag, opened.generation == entry.generation else {
      opened.wipe()
      throw .tampered("The entry “\(name.text)” is an old copy")
    }
    return opened
  }

  /// Seals a value into its row, and lists it.
  mutating func put(
    _ value: Secret,
    _ name: KeyName,
    _ row: RowName,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    var content = value.withBytes { ValueContent.encode(name, $0) }
    defer { Sodium.wipe(&content) }
    let generation = writer.nextGeneration
    let item = SealedItem.value(name, in: namespace)
    let sealed = sealer.seal(content, as: item, generation: generation)
    let entry = Manifest.Entry(generation: generation, tag: sealed.tag)
    try set(name, row, to: entry, writer, sealer)
    try writer.put(row, sealed.bytes)
  }

  /// Checks that a key which the manifest does not list has no row either.
  ///
  /// - Throws: `tampered` where there is one: a removed value was put back.
  func checkAbsence(
    _ name: KeyName,
    _ rowName: RowName,
    _ reader: any StorageReader
  ) throws(StorageError) {
    guard try reader.row(rowName) == nil else {
      throw .tampered("The entry “\(name.text)” was removed, and put back from outside")
    }
  }
}

internal import SessionModels

/// What can be proved of a namespace of a damaged store.
struct RecoveredNamespace {
  let namespace: StoreNamespace
  /// What the parts of its list that could be read name, and whose rows are whole.
  private(set) var entries: Manifest.Leaf = [:]
  private(set) var rows: [(name: RowName, bytes: [UInt8])] = []
  /// The names of values that are lost.
  private(set) var lost: [KeyName] = []
  /// How many more are lost, whose names are lost, too.
  private(set) var namelessCount = 0
  private(set) var isListWhole = false

  /// Reads a namespace along its list, from the tag that the anchor names.
  ///
  /// - Throws: `newerFormat`.
  init(
    _ namespace: StoreNamespace,
    _ tag: RowTag,
    _ found: FoundRows,
    _ sealer: Sealer
  ) throws(StorageError) {
    self.namespace = namespace
    let content = found.first(tag, .manifest(of: namespace)) {
      sealer.open($0, as: .manifest(of: namespace))?.plaintext
    }
    guard let content else {
      namelessCount = found.valueCount(in: namespace)
      return
    }
    let manifest = try Manifest(encoded: content)
    let listed = RecoveredNamespace.listed(by: manifest, namespace, found, sealer)
    listed.forEach { name, entry in take(name, entry, found, sealer) }
    lost.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    namelessCount = max(0, manifest.count - listed.count)
    isListWhole = manifest.count == listed.count
  }

  var isWhole: Bool { isListWhole && lost.isEmpty }

  /// Whether nothing is lost but values of such names.
  func isWhole(but isDispensable: (KeyName) -> Bool) -> Bool {
    isListWhole && lost.allSatisfy(isDispensable)
  }

  private mutating func take(
    _ name: KeyName,
    _ entry: Manifest.Entry,
    _ found: FoundRows,
    _ sealer: Sealer
  ) {
    let item = SealedItem.value(name, in: namespace)
    let rowName = sealer.keyring.rowName(name, in: namespace)
    let row = found.first(entry.tag, rowName) { row -> [UInt8]? in
      guard var opened = sealer.open(row, as: item) else { return nil }
      defer { opened.wipe() }
      return opened.generation == entry.generation ? row : nil
    }
    guard let row else { return lost.append(name) }
    entries[name] = entry
    rows.append((rowName, row))
  }

  private static func listed(
    by manifest: Manifest,
    _ namespace: StoreNamespace,
    _ found: FoundRows,
    _ sealer: Sealer
  ) -> Manifest.Leaf {
    var tags: [RowTag?]
    switch manifest.body {
    case .inline(let leaf): return leaf
    case .tags(let top): tags = top
    }
    if Manifest.innerPages(for: manifest.leafCount) > 0 {
      tags = tags.enumerated().flatMap { index, tag -> [RowTag?] in
        let page = tag.flatMap { tag in
          found.first(tag, .innerPage(index, of: namespace)) { row in
            sealer.open(row, as: .innerPage(index, of: namespace)).flatMap {
              Manifest.decode(innerPage: $0.plaintext)
            }
          }
        }
        return page ?? Array(repeating: nil, count: StoreFormat.leavesPerInnerPage)
      }
    }
    var all: Manifest.Leaf = [:]
    for (index, tag) in tags.enumerated() {
      guard let tag else { continue }
      let leaf = found.first(tag, .leaf(index, of: namespace)) { row in
        sealer.open(row, as: .leaf(index, of: namespace)).flatMap {
          Manifest.decode(leaf: $0.plaintext)
        }
      }
      if let leaf { all.add(leaf) }
    }
    return all
  }
}

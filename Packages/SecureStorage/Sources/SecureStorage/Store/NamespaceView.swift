internal import SessionModels

/// What a namespace holds in one committed state: its manifest, and the parts of it read so far.
///
/// All of it is what the anchor names, read from whichever of two copies is sound.
struct NamespaceView: Sendable {
  let namespace: StoreNamespace
  /// Set where the namespace was wiped without a key and not written since.
  var wiped: WipedMark?
  /// The tag of the manifest, as the anchor is to name it; nil where there is none.
  var tag: RowTag?
  private var isLoaded = false
  /// How many entries there are.
  var count = 0
  var leafCount = 1
  /// Of the leaves, or of the inner pages where there are any; empty where the entries are inline.
  var tags: [RowTag?] = []
  /// As many as there are tags, where there are any.
  var innerPages: [InnerPage?] = []
  /// The only one where the entries are inline, and then always there.
  var leaves: [Int: LeafPage] = [:]
  var dirty: Set<Int> = []
  var dirtyInner: Set<Int> = []
  /// Whether the manifest is sealed anew though nothing in it changes.
  var isStale = false

  struct InnerPage {
    /// Of the row; nil where there is none, or it was changed since.
    var tag: RowTag?
    var tags: [RowTag?]
  }

  struct LeafPage {
    /// Of the row; nil where there is none, or it was changed since.
    var tag: RowTag?
    var leaf: Manifest.Leaf

    /// Sets or, with nil, removes an entry.
    ///
    /// - Returns: By how many there are more.
    mutating func set(_ name: KeyName, to entry: Manifest.Entry?) -> Int {
      let before = leaf.count
      leaf[name] = entry
      tag = nil
      return leaf.count - before
    }
  }

  init(_ namespace: StoreNamespace) { self.namespace = namespace }

  var what: String { "The list of what namespace \(namespace.rawValue) holds" }

  var leavesInMemory: Int { leaves.count }

  var innerCount: Int { Manifest.innerPages(for: leafCount) }

  /// Brings the view to the state that a reader sees, for which `unlocked` is refreshed already.
  ///
  /// - Throws: `damaged` where the manifest is missing, `tampered` where it is not authentic, or
  ///   not the last one.
  mutating func refresh(
    _ reader: any StorageReader,
    _ unlocked: Unlocked
  ) throws(StorageError) {
    // A wipe without a key writes no anchor: where the last commit wrote one, there was none since.
    let mayBeWiped =
      namespace == .session
      && (unlocked.anchor[.session] == nil || unlocked.anchorGeneration != reader.generation)
    if mayBeWiped, try refreshWiped(reader) { return }
    guard let expected = unlocked.anchor[namespace] else {
      throw .damaged("\(what) was wiped, and the mark of that is missing")
    }
    if isLoaded, wiped == nil, expected == tag { return }
    let item = SealedItem.manifest(of: namespace)
    let found = try reader.sound(.manifest(of: namespace)) { row throws(StorageError) in
      guard RowTag(ofRow: row) == expected, let opened = unlocked.sealer.open(row, as: item) else {
        return nil as Manifest?
      }
      return try Manifest(encoded: opened.plaintext)
    }
    switch found {
    case .sound(let manifest): load(manifest, expected)
    case .missing:
      if namespace == .session, try refreshWiped(reader) { return }
      throw .damaged("\(what) is missing")
    case .bad: throw .tampered("\(what) is not authentic, or an old copy")
    }
  }

  /// Looks for the mark of a namespace that was wiped without a key.
  ///
  /// - Returns: Whether it stands in place of the list.
  private mutating func refreshWiped(_ reader: any StorageReader) throws(StorageError) -> Bool {
    let mark = try reader.sound(.wipedMark(of: namespace)) { WipedMark(framed: $0) }
    if case .missing = mark { return false }
    guard try reader.copies(.manifest(of: namespace)).isEmpty else {
      throw .tampered("Namespace \(namespace.rawValue) is both wiped and in use")
    }
    guard case .sound(let mark) = mark else {
      throw .damaged("The mark of the wiped namespace \(namespace.rawValue) is damaged")
    }
    self = NamespaceView(namespace)
    wiped = mark
    isLoaded = true
    return true
  }

  private mutating func load(_ manifest: Manifest, _ newTag: RowTag) {
    if manifest.leafCount != leafCount {
      leafCount = manifest.leafCount
      innerPages = Array(repeating: nil, count: innerCount)
      leaves = [:]
    }
    count = manifest.count
    switch manifest.body {
    case .inline(let leaf):
      tags = []
      leaves = [0: LeafPage(tag: newTag, leaf: leaf)]
    case .tags(let new): tags = new
    }
    tag = newTag
    wiped = nil
    isLoaded = true
  }

  /// What the manifest says of a key; nil says that there is none.
  mutating func entry(
    _ name: KeyName,
    _ row: RowName,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> Manifest.Entry? {
    let index = Manifest.leaf(of: row, among: leafCount)
    try loadLeaf(index, reader, sealer)
    return leaves[index]?.leaf[name]
  }

  /// Every entry.
  mutating func entries(
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> Manifest.Leaf {
    var all = Manifest.Leaf(minimumCapacity: count)
    for index in 0..<leafCount {
      try loadLeaf(index, reader, sealer)
      if let leaf = leaves[index]?.leaf { all.add(leaf) }
    }
    guard all.count == count else { throw .damaged("\(what) does not add up") }
    return all
  }

  /// The name of every part of the list whose copies are not both as they were written.
  ///
  /// All of it must be readable, as ``entries(_:_:)`` shows.
  mutating func damagedCopies(
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> [String] {
    // The mark is one of the store's own rows.
    guard wiped == nil else { return [] }
    let list = "<list of namespace \(namespace.rawValue)>"
    var damaged = try reader.isWhole(.manifest(of: namespace)) ? [] : [list]
    guard leafCount > 1 else { return damaged }
    for index in 0..<innerCount where tags[index] != nil {
      let isWhole = try reader.isWhole(.innerPage(index, of: namespace))
      if !isWhole { damaged.append("\(list) inner page \(index)") }
    }
    for index in 0..<leafCount where try leafTag(index, reader, sealer) != nil {
      let isWhole = try reader.isWhole(.leaf(index, of: namespace))
      if !isWhole { damaged.append("\(list) leaf \(index)") }
    }
    return damaged
  }

  /// Whether a row that is no value's belongs to the list.
  mutating func lists(
    _ row: RowName,
    _ reader: any StorageReader,
    _ sealer: Sealer
  ) throws(StorageError) -> Bool {
    guard wiped == nil else { return false }
    if row.bytes.isEmpty { return true }
    let index = row.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    if row == .innerPage(index, of: namespace) { return index < innerCount && tags[index] != nil }
    guard leafCount > 1, index < leafCount else { return false }
    return try leafTag(index, reader, sealer) != nil
  }
}

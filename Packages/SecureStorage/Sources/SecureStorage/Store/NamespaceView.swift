internal import SessionModels

/// What a namespace holds in one committed state: its manifest, and the pages read so far.
struct NamespaceView: Sendable {
  let namespace: StoreNamespace
  /// Set where the namespace was wiped without a key and not written since.
  private(set) var wiped: WipedMark?
  private var tag: RowTag?
  private var isLoaded = false
  private var manifest = Manifest.empty
  private var pages: [Int: (tag: RowTag?, page: Manifest.Page)] = [:]
  private var dirty: Set<Int> = []

  init(_ namespace: StoreNamespace) { self.namespace = namespace }

  var count: Int { manifest.count }

  /// Brings the view to the state that a reader sees.
  ///
  /// - Throws: `damaged` where the manifest is missing, `tampered` where it is not authentic.
  mutating func refresh(
    _ reader: any StorageReader,
    _ unlocked: inout Unlocked
  ) throws(StorageError) {
    let row = try reader.row(.manifest(of: namespace))
    let mark = namespace == .session ? try reader.row(.wipedMark(of: namespace)) : nil
    guard let row else {
      guard let mark = mark.flatMap({ WipedMark(framed: $0) }) else {
        throw .damaged("The list of what namespace \(namespace.rawValue) holds is missing")
      }
      self = NamespaceView(namespace)
      wiped = mark
      isLoaded = true
      return
    }
    guard mark == nil else {
      throw .tampered("Namespace \(namespace.rawValue) is both wiped and in use")
    }
    let newTag = RowTag(ofRow: row)
    if isLoaded, wiped == nil, newTag == tag { return }
    guard let opened = try unlocked.open(row, as: .manifest(of: namespace), reader) else {
      throw .tampered("The list of what namespace \(namespace.rawValue) holds is not authentic")
    }
    guard opened.generation <= reader.generation, let new = Manifest(encoded: opened.plaintext)
    else { throw .damaged("The list of what namespace \(namespace.rawValue) holds is damaged") }
    manifest = new
    tag = newTag
    wiped = nil
    isLoaded = true
    if new.pageCount == 1 { pages = [:] }
  }

  /// What the manifest says of a key; nil says that there is none.
  mutating func entry(
    _ name: KeyName,
    _ row: RowName,
    _ reader: any StorageReader,
    _ unlocked: inout Unlocked
  ) throws(StorageError) -> Manifest.Entry? {
    let index = Manifest.page(of: row, among: manifest.pageCount)
    return try page(index, reader, &unlocked)[name]
  }

  /// Every entry.
  mutating func entries(
    _ reader: any StorageReader,
    _ unlocked: inout Unlocked
  ) throws(StorageError) -> Manifest.Page {
    var all: Manifest.Page = [:]
    for index in 0..<manifest.pageCount {
      all.merge(try page(index, reader, &unlocked)) { first, _ in first }
    }
    guard all.count == manifest.count else {
      throw .damaged("The list of what namespace \(namespace.rawValue) holds does not add up")
    }
    return all
  }

  private mutating func page(
    _ index: Int,
    _ reader: any StorageReader,
    _ unlocked: inout Unlocked
  ) throws(StorageError) -> Manifest.Page {
    guard case .pages(let tags) = manifest.body else {
      if case .inline(let page) = manifest.body { return page }
      return [:]
    }
    if let known = pages[index], dirty.contains(index) || known.tag == tags[index] {
      return known.page
    }
    guard let tag = tags[index] else { return [:] }
    let what = "Part \(index) of the list of what namespace \(namespace.rawValue) holds"
    guard let row = try reader.row(.manifestPage(index, of: namespace)) else {
      throw .damaged("\(what) is missing")
    }
    guard RowTag(ofRow: row) == tag else { throw .tampered("\(what) is an old copy") }
    let item = SealedItem.manifestPage(index, of: namespace)
    guard let opened = try unlocked.open(row, as: item, reader),
      let page = Manifest.decode(opened.plaintext)
    else { throw .tampered("\(what) is not authentic") }
    pages[index] = (tag, page)
    return page
  }
}

// MARK: - Changes, in a transaction

extension NamespaceView {
  /// Sets or, with nil, removes an entry; the rows follow with ``write(_:_:)``.
  mutating func set(
    _ name: KeyName,
    _ row: RowName,
    to entry: Manifest.Entry?,
    _ writer: any StorageWriter,
    _ unlocked: inout Unlocked
  ) throws(StorageError) {
    let index = Manifest.page(of: row, among: manifest.pageCount)
    var page = try page(index, writer, &unlocked)
    let before = page.count
    page[name] = entry
    manifest.count += page.count - before
    store(page, at: index)
  }

  /// Has every part of the manifest sealed anew, with the key that seals now.
  mutating func touchAll(
    _ writer: any StorageWriter,
    _ unlocked: inout Unlocked
  ) throws(StorageError) {
    guard wiped == nil else { return }
    for index in 0..<manifest.pageCount {
      store(try page(index, writer, &unlocked), at: index)
    }
  }

  private mutating func store(_ page: Manifest.Page, at index: Int) {
    if case .inline = manifest.body {
      manifest.body = .inline(page)
    } else {
      pages[index] = (nil, page)
    }
    dirty.insert(index)
  }

  /// Writes what changed: the pages, then the manifest that names them.
  mutating func write(
    _ writer: any StorageWriter,
    _ unlocked: inout Unlocked
  ) throws(StorageError) {
    guard !dirty.isEmpty else { return }
    if manifest.count > manifest.pageCount * StoreFormat.entriesPerPage {
      try spread(writer, &unlocked)
    }
    if case .pages(var tags) = manifest.body {
      for index in dirty {
        let page = pages[index]?.page ?? [:]
        let row = RowName.manifestPage(index, of: namespace)
        if page.isEmpty {
          try writer.remove(row)
          tags[index] = nil
        } else {
          let sealed = unlocked.sealer.seal(
            Manifest.encode(page),
            as: .manifestPage(index, of: namespace),
            generation: writer.nextGeneration
          )
          try writer.put(row, sealed.bytes)
          tags[index] = sealed.tag
        }
        pages[index] = (tags[index], page)
      }
      manifest.body = .pages(tags)
    }
    dirty = []
    let sealed = unlocked.sealer.seal(
      manifest.encoded(),
      as: .manifest(of: namespace),
      generation: writer.nextGeneration
    )
    try writer.put(.manifest(of: namespace), sealed.bytes)
    tag = sealed.tag
    if namespace == .session { try writer.remove(.wipedMark(of: namespace)) }
    wiped = nil
  }

  /// Four times as many pages, before any of them is too long.
  private mutating func spread(
    _ writer: any StorageWriter,
    _ unlocked: inout Unlocked
  ) throws(StorageError) {
    let all = try entries(writer, &unlocked)
    var count = manifest.pageCount
    while all.count > count * StoreFormat.entriesPerPage { count *= 4 }
    var spread = [Manifest.Page](repeating: [:], count: count)
    for (name, entry) in all {
      let row = unlocked.sealer.keyring.rowName(name, in: namespace)
      spread[Manifest.page(of: row, among: count)][name] = entry
    }
    manifest.body = .pages([RowTag?](repeating: nil, count: count))
    pages = [:]
    for (index, page) in spread.enumerated() { pages[index] = (nil, page) }
    dirty = Set(0..<count)
  }

  /// An empty namespace, as it is made with the store.
  static func create(
    _ namespace: StoreNamespace,
    _ writer: any StorageWriter,
    _ sealer: Sealer
  ) throws(StorageError) {
    let sealed = sealer.seal(
      Manifest.empty.encoded(),
      as: .manifest(of: namespace),
      generation: writer.nextGeneration
    )
    try writer.put(.manifest(of: namespace), sealed.bytes)
  }
}

import SecureStorageTesting

@testable import SecureStorage

/// A namespace whose list says that it is full, though it holds one entry only.
enum FullNamespace {
  static let key = "there"

  static func make(
    _ namespace: StoreNamespace,
    in store: SecureStore,
    _ engine: InMemoryEngine
  ) async throws {
    try await store.set("1", forKey: key, in: namespace)
    try await store.transaction { transaction throws(StorageError) in
      transaction.mustAnchor = true
      let sealer = transaction.unlocked.sealer
      let name = KeyName(unchecked: key)
      let entry = try transaction.withView(of: namespace) {
        view,
        writer,
        sealer throws(StorageError)
        in
        try view.entry(name, sealer.keyring.rowName(name, in: namespace), writer, sealer)
      }
      guard let entry else { return }
      let leaves = 16_384
      let index = Manifest.leaf(of: sealer.keyring.rowName(name, in: namespace), among: leaves)
      let leaf = try seal(
        Manifest.encode([name: entry]),
        .leaf(index, of: namespace),
        .leaf(index, of: namespace),
        transaction
      )
      let per = StoreFormat.leavesPerInnerPage
      var inner = [RowTag?](repeating: nil, count: per)
      inner[index % per] = leaf
      var tags = [RowTag?](repeating: nil, count: leaves / per)
      tags[index / per] = try seal(
        Manifest.encode(innerPage: inner),
        .innerPage(index / per, of: namespace),
        .innerPage(index / per, of: namespace),
        transaction
      )
      let manifest = Manifest(count: StoreLimits.entries, leafCount: leaves, body: .tags(tags))
      transaction.anchor[namespace] = try seal(
        manifest.encoded(),
        .manifest(of: namespace),
        .manifest(of: namespace),
        transaction
      )
      transaction.forgetViews()
    }
  }

  private static func seal(
    _ content: [UInt8],
    _ item: SealedItem,
    _ row: RowName,
    _ transaction: StoreTransaction
  ) throws(StorageError) -> RowTag {
    let generation = transaction.writer.nextGeneration
    let sealed = transaction.unlocked.sealer.seal(content, as: item, generation: generation)
    try transaction.writer.putTwice(row, sealed.bytes)
    return sealed.tag
  }
}

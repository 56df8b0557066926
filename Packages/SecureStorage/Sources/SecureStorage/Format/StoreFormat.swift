/// The constants of FORMAT.md.
enum StoreFormat {
  /// The only version so far.
  static let version: UInt8 = 1
  /// SQLite's application id of a store: `MACs` in ASCII.
  static let applicationID: Int32 = 0x4D41_4373
  /// The length of a store's random id.
  static let storeIDLength = 16
  /// The most entries that a manifest page takes before the namespace gets more pages.
  static let entriesPerPage = 64
  /// Rows of the store itself lie in space 0, those of namespace N in space N.
  static let metaSpace: UInt8 = 0
}

extension RowName {
  static let storeID = meta("store")
  static let vault = meta("vault")
  static let keyset = meta("keyset")
  static let nextKeyset = meta("keyset.next")

  static func wipedMark(of namespace: StoreNamespace) -> RowName {
    meta("wiped.\(namespace.rawValue)")
  }

  static func manifest(of namespace: StoreNamespace) -> RowName {
    RowName(space: namespace.rawValue, bytes: [])
  }

  static func manifestPage(_ index: Int, of namespace: StoreNamespace) -> RowName {
    RowName(
      space: namespace.rawValue,
      bytes: UInt32(truncatingIfNeeded: index).bigEndianBytes
    )
  }

  private static func meta(_ text: String) -> RowName {
    RowName(space: StoreFormat.metaSpace, bytes: Array(text.utf8))
  }
}

/// The constants of FORMAT.md.
enum StoreFormat {
  /// The only version so far.
  static let version: UInt8 = 1
  /// SQLite's application id of a store: `MACs` in ASCII.
  static let applicationID: Int32 = 0x4D41_4373
  /// The length of a store's random id.
  static let storeIDLength = 16
  /// The most entries for each of a list's leaves, on average, before there are more leaves.
  static let entriesPerLeaf = 64
  /// How many leaves an inner page lists; up to here the manifest lists them itself.
  static let leavesPerInnerPage = 64
  /// Rows of the store itself lie in space 0, those of namespace N in space N.
  static let metaSpace: UInt8 = 0
  /// The second copy of a row lies so many spaces further on, in another part of the tree.
  static let copyOffset: UInt8 = 128
}

extension StoreNamespace {
  /// The spaces that hold all there is of a namespace: its rows, and copies of its list.
  var spaces: [UInt8] { [rawValue, rawValue + StoreFormat.copyOffset] }
}

extension RowName {
  static let storeID = meta("store")
  static let vault = meta("vault")
  static let generation = meta("generation")
  static let keyset = meta("keyset")
  static let nextKeyset = meta("keyset.next")
  static let leftoverVaults = meta("vaults.left")
  static let anchor = meta("anchor")

  static func wipedMark(of namespace: StoreNamespace) -> RowName {
    meta("wiped.\(namespace.rawValue)")
  }

  static func manifest(of namespace: StoreNamespace) -> RowName {
    RowName(space: namespace.rawValue, bytes: [])
  }

  static func leaf(_ index: Int, of namespace: StoreNamespace) -> RowName {
    RowName(
      space: namespace.rawValue,
      bytes: UInt32(truncatingIfNeeded: index).bigEndianBytes
    )
  }

  static func innerPage(_ index: Int, of namespace: StoreNamespace) -> RowName {
    RowName(
      space: namespace.rawValue,
      bytes: UInt32(truncatingIfNeeded: index).bigEndianBytes + [1]
    )
  }

  private static func meta(_ text: String) -> RowName {
    RowName(space: StoreFormat.metaSpace, bytes: Array(text.utf8))
  }

  /// Where the second copy of this row is.
  var copy: RowName { RowName(space: space | StoreFormat.copyOffset, bytes: bytes) }
}

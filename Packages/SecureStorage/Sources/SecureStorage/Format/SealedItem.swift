/// What a sealed row is: bound into its associated data, so that no row passes for another.
struct SealedItem {
  enum Kind: UInt8 {
    case value = 1
    case manifest = 2
    case leaf = 3
    case keyset = 4
    case innerPage = 5
    case anchor = 6
  }

  let kind: Kind
  let namespace: UInt8
  let name: [UInt8]

  static func value(_ name: KeyName, in namespace: StoreNamespace) -> SealedItem {
    SealedItem(kind: .value, namespace: namespace.rawValue, name: Array(name.text.utf8))
  }

  static func manifest(of namespace: StoreNamespace) -> SealedItem {
    SealedItem(kind: .manifest, namespace: namespace.rawValue, name: [])
  }

  static func leaf(_ index: Int, of namespace: StoreNamespace) -> SealedItem {
    part(.leaf, index, of: namespace)
  }

  static func innerPage(_ index: Int, of namespace: StoreNamespace) -> SealedItem {
    part(.innerPage, index, of: namespace)
  }

  private static func part(
    _ kind: Kind,
    _ index: Int,
    of namespace: StoreNamespace
  ) -> SealedItem {
    let name = UInt32(truncatingIfNeeded: index).bigEndianBytes
    return SealedItem(kind: kind, namespace: namespace.rawValue, name: name)
  }

  static let keyset = SealedItem(kind: .keyset, namespace: 0, name: [])
  static let anchor = SealedItem(kind: .anchor, namespace: 0, name: [])

  /// The associated data: format version, store id, name, key id and generation, each with its
  /// length before it.
  func associatedData(storeID: [UInt8], keyID: UInt32, generation: UInt64) -> [UInt8] {
    var writer = ByteWriter(capacity: 64 + name.count)
    writer.long([StoreFormat.version])
    writer.long(storeID)
    writer.long([kind.rawValue, namespace] + name)
    writer.long(keyID.bigEndianBytes)
    writer.long(generation.bigEndianBytes)
    return writer.bytes
  }
}

extension FixedWidthInteger {
  /// The number's bytes, the highest first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

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

  /// Lends the associated data: format version, store id, name, key id and generation, each with
  /// its length before it.
  func withAssociatedData<Result>(
    storeID: [UInt8],
    keyID: UInt32,
    generation: UInt64,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let length = 5 * 4 + 1 + storeID.count + 2 + name.count + 4 + 8
    return withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { memory in
      var end = 0
      func number<Number: FixedWidthInteger>(_ number: Number) {
        memory.storeBytes(of: number.bigEndian, toByteOffset: end, as: Number.self)
        end += MemoryLayout<Number>.size
      }
      func raw(_ bytes: [UInt8]) {
        UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyBytes(from: bytes)
        end += bytes.count
      }
      number(UInt32(1))
      number(StoreFormat.version)
      number(UInt32(truncatingIfNeeded: storeID.count))
      raw(storeID)
      number(UInt32(truncatingIfNeeded: 2 + name.count))
      number(kind.rawValue)
      number(namespace)
      raw(name)
      number(UInt32(4))
      number(keyID)
      number(UInt32(8))
      number(generation)
      return body(UnsafeRawBufferPointer(rebasing: memory[..<end]))
    }
  }

  /// The associated data as an array.
  func associatedData(storeID: [UInt8], keyID: UInt32, generation: UInt64) -> [UInt8] {
    withAssociatedData(storeID: storeID, keyID: keyID, generation: generation) { Array($0) }
  }
}

extension FixedWidthInteger {
  /// The number's bytes, the highest first.
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

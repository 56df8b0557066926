extension RowName {
  private static let metaNames: Set<[UInt8]> = Set(
    [
      .storeID, .vault, .generation, .keyset, .nextKeyset, .leftoverVaults, .anchor,
      wipedMark(of: .session),
    ].map(\.bytes)
  )

  /// Whether it is a name that a row of this format may have.
  var isKnown: Bool {
    let isCopy = space >= StoreFormat.copyOffset
    switch isCopy ? space - StoreFormat.copyOffset : space {
    case StoreFormat.metaSpace: return RowName.metaNames.contains(bytes)
    case 1...StoreNamespace.count:
      // The list of a namespace, its leaves and its inner pages; values have no second copy.
      return [0, 4, 5].contains(bytes.count) || (bytes.count == Keyring.rowNameLength && !isCopy)
    default: return false
    }
  }
}

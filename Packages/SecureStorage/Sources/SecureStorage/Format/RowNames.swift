internal import Synchronization

/// The row names that were worked out last: a hash for each, and the same few keys again and again.
final class RowNames: Sendable {
  private static let places = 64

  private struct Known {
    let key: KeyName
    let name: RowName
  }

  private let known = Mutex([Known?](repeating: nil, count: places))

  /// The name of a key's row, worked out where it is not known.
  func name(_ key: KeyName, in namespace: StoreNamespace, _ make: () -> RowName) -> RowName {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(namespace.rawValue)
    let place = Int(UInt(bitPattern: hasher.finalize()) % UInt(RowNames.places))
    return known.withLock { known in
      if let found = known[place], found.name.space == namespace.rawValue, found.key == key {
        return found.name
      }
      let name = make()
      known[place] = Known(key: key, name: name)
      return name
    }
  }
}

internal import Synchronization

/// The stores that this process has open, so that a second open of a file gives the same store.
enum OpenStores {
  private struct Entry {
    let identity: StoreFiles.Identity
    weak var store: SecureStore?
  }

  private static let entries = Mutex<[Entry]>([])

  /// One open at a time, on a thread that may wait for a vault.
  static let opening = BlockingQueue(label: "store.open")

  static func store(_ identity: StoreFiles.Identity) -> SecureStore? {
    entries.withLock { $0.first { $0.identity == identity }?.store }
  }

  static func add(_ store: SecureStore, _ identity: StoreFiles.Identity) {
    entries.withLock { entries in
      entries.removeAll { $0.store == nil || $0.identity == identity }
      entries.append(Entry(identity: identity, store: store))
    }
  }

  static func remove(_ identity: StoreFiles.Identity) {
    entries.withLock { $0.removeAll { $0.identity == identity } }
  }
}

internal import Synchronization

/// The stores that this process has open, so that a second open of a file gives the same store.
enum OpenStores {
  private struct Entry {
    weak var store: SecureStore?
  }

  private static let entries = Mutex<[StoreFiles.Identity: Entry]>([:])

  /// One open at a time, on a thread that may wait for a vault.
  static let opening = BlockingQueue(label: "store.open")

  static func store(_ identity: StoreFiles.Identity) -> SecureStore? {
    entries.withLock { $0[identity]?.store }
  }

  static func add(_ store: SecureStore, _ identity: StoreFiles.Identity) {
    entries.withLock { entries in
      entries = entries.filter { $0.value.store != nil }
      entries[identity] = Entry(store: store)
    }
  }

  static func remove(_ identity: StoreFiles.Identity) {
    entries.withLock { entries in _ = entries.removeValue(forKey: identity) }
  }
}

public import SessionModels
internal import Synchronization

/// An encrypted key-value store: names and values sealed, nothing lost in silence.
///
/// ```swift
/// let store = try await SecureStore.open(at: directory, vault: FileVault(path: keyFile))
/// try await store.set("blue", forKey: "colour")
/// let colour = try store.string(forKey: "colour")
/// ```
///
/// Reads are synchronous and come from memory as long as nobody, in any process, has committed
/// anything. Writes are durable when they return. A value that has vanished, was swapped or was
/// rolled back is an error and never nil (R14).
public final class SecureStore: Sendable {
  /// What opening mended or noticed.
  public var notes: [StoreNote] { noted.withLock { $0 } }
  private let noted: Mutex<[StoreNote]>
  let engine: any StorageEngine
  let options: StoreOptions
  let writing = BlockingQueue(label: "store.write")
  let changeLog = StoreChanges()
  let rollback: RollbackGuard
  let cache: Mutex<StoreCache>
  /// What the last transaction knew of the lists.
  let writtenViews = Mutex(NamespaceViews())
  private let forks = ForkGuard()
  private let closed = Atomic(false)

  init(engine: any StorageEngine, unlocked: Unlocked, notes: [StoreNote], options: StoreOptions) {
    self.engine = engine
    noted = Mutex(notes)
    self.options = options
    rollback = RollbackGuard(now: options.uptime)
    cache = Mutex(StoreCache(unlocked, options.reads))
  }

  deinit { engine.close() }

  func add(_ note: StoreNote) { noted.withLock { $0.append(note) } }

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Gives up files and opened values; the keys go with the last reference.
  ///
  /// Every call after it throws `misuse`.
  ///
  /// Blocks for as long as a write that is under way takes, and while a vault that counts does
  /// so for commits that it has not counted yet.
  public func close() {
    if !closed.exchange(true, ordering: .acquiringAndReleasing) { countBeforeClosing() }
    engine.close()
    cache.withLock { $0.dropAll() }
  }
}

// MARK: - Reading

extension SecureStore {
  /// The value of a key, or nil where there is none.
  ///
  /// The cheapest read: nothing is copied.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Returns: The last value that any process committed.
  /// - Throws: ``StorageError``: `damaged` or `tampered`, never nil for what has vanished.
  public func secret(
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) -> Secret? {
    try forks.check()
    return try cache.withLock { cache throws(StorageError) in
      let name = KeyName(unchecked: key)
      if let hit = cache.hit(name, namespace, engine.stamp) { return hit }
      return try cache.read(KeyName(validating: key), namespace, engine).secret
    }
  }

  /// The bytes of a key, or nil where there is none.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Returns: A copy of the value, which the caller may wipe.
  /// - Throws: as ``secret(forKey:in:)``.
  public func data(
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) -> [UInt8]? {
    try secret(forKey: key, in: namespace)?.withBytes { Array($0) }
  }

  /// The text of a key, or nil where there is none.
  ///
  /// - Parameters:
  ///   - key: Which entry.
  ///   - namespace: Where.
  /// - Returns: The value as UTF-8; bytes that are not UTF-8 are repaired.
  /// - Throws: as ``secret(forKey:in:)``.
  public func string(
    forKey key: String,
    in namespace: StoreNamespace = .user
  ) throws(StorageError) -> String? {
    try secret(forKey: key, in: namespace)?.reveal()
  }

  /// Every key of a namespace, sorted by their bytes.
  ///
  /// - Parameter namespace: Where.
  /// - Returns: The keys.
  /// - Throws: ``StorageError``.
  public func keys(in namespace: StoreNamespace = .user) throws(StorageError) -> [String] {
    try forks.check()
    return try cache.withLock { cache throws(StorageError) in
      try cache.keys(in: namespace, engine)
    }
  }

  /// How many entries a namespace has, from the beginning of its list.
  func count(in namespace: StoreNamespace) throws(StorageError) -> Int {
    try forks.check()
    return try cache.withLock { cache throws(StorageError) in
      try cache.count(in: namespace, engine)
    }
  }

  /// What must hold even where an answer comes from memory.
  func checkUsable() throws(StorageError) {
    try forks.check()
    guard !isClosed else {
      throw .misuse("The store in \(engine.location) was closed", advice: "Open it again.")
    }
  }

  /// One read with all that it saw; not from memory.
  func reading(
    of key: KeyName,
    in namespace: StoreNamespace
  ) throws(StorageError) -> StoreCache.Reading {
    try forks.check()
    return try cache.withLock { cache throws(StorageError) in
      try cache.read(key, namespace, engine)
    }
  }
}

public import SecureStorage
internal import Synchronization

/// An engine in memory.
///
/// Each object plays one process; ``sibling()`` makes another one.
public final class InMemoryEngine: StorageEngine {
  private let disk: Disk

  /// An engine on an empty disk.
  public init() { disk = Disk() }

  private init(disk: Disk) { self.disk = disk }

  /// Another process on the same disk.
  public func sibling() -> InMemoryEngine { InMemoryEngine(disk: disk) }

  /// Every row there is; changing it is what an attacker or a bad disk does.
  public var rows: [RowName: [UInt8]] {
    get { disk.state.withLock { $0.rows } }
    set {
      disk.state.withLock { state in
        state.rows = newValue
        state.stamp += 2
      }
    }
  }

  /// From now on each write throws this instead of committing; nil lets writes succeed again.
  public func failWrites(with error: StorageError?) {
    failWrites(after: 0, with: error)
  }

  /// The next so many writes are committed, each one after them throws this.
  public func failWrites(after commits: Int, with error: StorageError?) {
    disk.state.withLock { state in
      state.failure = error
      state.commitsBeforeFailure = commits
    }
  }

  /// `in memory`.
  public var location: String { "in memory" }

  /// Moves by two with each commit.
  public var stamp: UInt64 { disk.state.withLock { $0.stamp } }

  /// Reads the present state.
  ///
  /// - Parameter body: Reads what it needs.
  /// - Returns: What `body` returns.
  /// - Throws: what `body` throws.
  public func read<Result: Sendable>(
    _ body: (any StorageReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let session = disk.state.withLock { Session(rows: $0.rows, generation: $0.generation) }
    return try body(session)
  }

  /// Changes all or nothing.
  ///
  /// - Parameter body: Reads and changes.
  /// - Returns: What `body` returns.
  /// - Throws: what `body` throws, and what ``failWrites(with:)`` was given.
  public func write<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let (result, observers) = try disk.writers.withLock { _ throws(StorageError) in
      let session = disk.state.withLock { Session(rows: $0.rows, generation: $0.generation) }
      let result = try body(session)
      guard session.hasChanged else { return (result, [Observer]()) }
      let observers = try disk.commit(session.rows)
      for job in session.jobs { job(session) }
      return (result, observers)
    }
    for observer in observers { observer() }
    return result
  }

  /// As ``write(_:)``: memory has no log.
  ///
  /// - Parameter body: Reads and changes.
  /// - Returns: What `body` returns.
  /// - Throws: as ``write(_:)``.
  public func overwrite<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result { try write(body) }

  /// Calls `changed` after each commit of any sibling.
  ///
  /// - Parameter changed: Called on the committing thread.
  public func observe(_ changed: @escaping @Sendable () -> Void) {
    disk.state.withLock { $0.observers.append(changed) }
  }

  /// The bytes of all rows.
  ///
  /// - Returns: Their sum.
  public func size() -> Int { rows.values.reduce(0) { $0 + $1.count } }

  /// Does nothing: the disk outlives its engines.
  public func close() {}

  private typealias Observer = @Sendable () -> Void
}

extension InMemoryEngine {
  private final class Disk: Sendable {
    struct State {
      var rows: [RowName: [UInt8]] = [:]
      var generation: UInt64 = 0
      var stamp: UInt64 = 0
      var failure: StorageError?
      var commitsBeforeFailure = 0
      var observers: [Observer] = []
    }

    let writers = Mutex(())
    let state = Mutex(State())

    func commit(_ rows: [RowName: [UInt8]]) throws(StorageError) -> [Observer] {
      try state.withLock { state throws(StorageError) in
        if let failure = state.failure {
          guard state.commitsBeforeFailure > 0 else { throw failure }
          state.commitsBeforeFailure -= 1
        }
        state.rows = rows
        state.generation += 1
        state.stamp += 2
        return state.observers
      }
    }
  }

  private final class Session: StorageWriter {
    private(set) var rows: [RowName: [UInt8]]
    let generation: UInt64
    private(set) var hasChanged = false
    private(set) var jobs: [@Sendable (any StorageWriter) -> Void] = []

    init(rows: [RowName: [UInt8]], generation: UInt64) {
      self.rows = rows
      self.generation = generation
    }

    var isInitialised: Bool { generation > 0 || !rows.isEmpty }
    var nextGeneration: UInt64 { generation + 1 }

    func row(_ name: RowName) -> [UInt8]? { rows[name] }

    func rows(
      in space: UInt8,
      from first: [UInt8],
      upTo end: [UInt8]?,
      _ body: (_ name: [UInt8], _ row: [UInt8]) -> Void
    ) {
      for name in names(in: space) where !name.bytes.lexicographicallyPrecedes(first) {
        if let end, !name.bytes.lexicographicallyPrecedes(end) { return }
        if let row = rows[name] { body(name.bytes, row) }
      }
    }

    func names(in space: UInt8) -> [RowName] {
      rows.keys.filter { $0.space == space }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    func put(_ name: RowName, _ bytes: [UInt8]) {
      hasChanged = true
      rows[name] = bytes
    }

    func remove(_ name: RowName) {
      hasChanged = true
      rows[name] = nil
    }

    func removeAll(in space: UInt8) {
      hasChanged = true
      rows = rows.filter { $0.key.space != space }
    }

    func afterCommit(_ job: @escaping @Sendable (any StorageWriter) -> Void) { jobs.append(job) }

    func purgeAfterCommit() {}

    func makeDurable() {}
  }
}

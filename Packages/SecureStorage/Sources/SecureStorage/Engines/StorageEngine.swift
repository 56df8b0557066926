/// Atomic, durable bytes under opaque names.
///
/// Knows nothing of keys or of what the bytes mean.
///
/// Several engines, in this or other processes, may work on the same bytes; writers take turns,
/// and every read is of one committed state. All calls may block.
public protocol StorageEngine: Sendable {
  /// Where the bytes are, for messages and `store info`.
  var location: String { get }

  /// A word that moves with each commit of anybody: an even one that stands still says that
  /// nothing was committed since it was read. An odd one says that a commit is under way.
  var stamp: UInt64 { get }

  /// Reads one committed state.
  ///
  /// - Parameter body: Reads what it needs; the reader is not valid after it.
  /// - Returns: What `body` returns.
  /// - Throws: `damaged`, `newerFormat`, `io`, `busy`, `misuse`, and what `body` throws.
  func read<Result: Sendable>(
    _ body: (any StorageReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result

  /// Changes all or nothing, with no other writer in between.
  ///
  /// It is durable when it returns, unless the engine was made to be less strict.
  ///
  /// A body that changes nothing commits nothing, and the generation stays.
  ///
  /// - Parameter body: Reads and changes; the writer is not valid after it.
  /// - Returns: What `body` returns.
  /// - Throws: as ``read(_:)``; nothing was changed then, except where the message says so.
  func write<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result

  /// As ``write(_:)``, where that waits for nothing: for no other writer, and not for the disk.
  ///
  /// For threads that must not be blocked. An engine whose commits wait need not implement it.
  ///
  /// - Parameter body: As in ``write(_:)``; returns nil where it would have to wait, before it
  ///   changes anything.
  /// - Returns: What `body` returns, and whether nothing is left to do by ``finishWriting()``; nil
  ///   where it would wait, and then nothing was done.
  /// - Throws: as ``write(_:)``.
  func writeAtOnce<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result?
  ) throws(StorageError) -> (result: Result, isFinished: Bool)?

  /// Does what ``writeAtOnce(_:)`` has left to do.
  ///
  /// - Throws: `io`; `busy` where what was to be overwritten is not yet.
  func finishWriting() throws(StorageError)

  /// As ``write(_:)``, where no room is left for it: overwrites what is there, without a log.
  ///
  /// A crash in the middle leaves a damaged store, so this is for removing what must go and
  /// cannot go in any other way.
  ///
  /// - Parameter body: Reads and changes; the writer is not valid after it.
  /// - Returns: What `body` returns.
  /// - Throws: as ``write(_:)``; `busy` also while another process has the store open.
  func overwrite<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result
  ) throws(StorageError) -> Result

  /// Calls `changed` after commits of anybody, at least once after the last one.
  ///
  /// - Parameter changed: Called on a thread of the engine's; several commits may be one call.
  func observe(_ changed: @escaping @Sendable () -> Void)

  /// How many bytes the store takes up.
  ///
  /// - Returns: The size of all files.
  func size() -> Int

  /// Gives up files and memory. Every call after it throws `misuse`.
  func close()
}

/// One committed state.
public protocol StorageReader {
  /// Whether anything was ever committed.
  var isInitialised: Bool { get }
  /// The number of the last commit: 0 before the first, and one more with each.
  var generation: UInt64 { get }
  /// Whether this is what the engine itself committed last, and nobody has committed since.
  ///
  /// An engine that does not know says no, and what is known of the state is read anew.
  var isOwn: Bool { get }

  /// The bytes under a name, or nil.
  ///
  /// - Parameter name: Which.
  /// - Returns: The bytes.
  /// - Throws: `damaged`, `io`, `busy`.
  func row(_ name: RowName) throws(StorageError) -> [UInt8]?

  /// The rows of a space whose names lie in a range, in ascending order.
  ///
  /// - Parameters:
  ///   - space: Which space.
  ///   - first: The least name.
  ///   - end: The least name beyond the range; nil for all that follow.
  ///   - body: Gets the bytes of the name and the row.
  /// - Throws: `damaged`, `io`, `busy`.
  func rows(
    in space: UInt8,
    from first: [UInt8],
    upTo end: [UInt8]?,
    _ body: (_ name: [UInt8], _ row: [UInt8]) -> Void
  ) throws(StorageError)

  /// Every name in a space, in ascending order.
  ///
  /// - Parameter space: Which space.
  /// - Returns: The names.
  /// - Throws: `damaged`, `io`, `busy`.
  func names(in space: UInt8) throws(StorageError) -> [RowName]

  /// Sees whether everything that was ever put can be found, and so removed.
  ///
  /// An engine whose structure cannot be damaged need not implement it.
  ///
  /// - Throws: `damaged` where not.
  func checkStructure() throws(StorageError)
}

/// The state that a transaction is about to commit.
public protocol StorageWriter: StorageReader {
  /// The number that this commit will have.
  var nextGeneration: UInt64 { get }

  /// Puts bytes under a name, in place of those that were there.
  ///
  /// - Parameters:
  ///   - name: Under which name.
  ///   - bytes: What to put.
  /// - Throws: `damaged`, `io`, `busy`.
  func put(_ name: RowName, _ bytes: [UInt8]) throws(StorageError)

  /// Removes what is under a name, if there is anything.
  ///
  /// - Parameter name: Which.
  /// - Throws: `damaged`, `io`, `busy`.
  func remove(_ name: RowName) throws(StorageError)

  /// Removes every name of a space.
  ///
  /// - Parameter space: Which space.
  /// - Throws: `damaged`, `io`, `busy`.
  func removeAll(in space: UInt8) throws(StorageError)

  /// Runs something after the commit, before the next writer's turn.
  ///
  /// - Parameter job: Gets this writer, which can only make things durable by then. Not run where
  ///   nothing is committed.
  func afterCommit(_ job: @escaping @Sendable (any StorageWriter) -> Void)

  /// Makes durable what was committed so far, where the engine's commits are not so by
  /// themselves.
  ///
  /// - Throws: `io`.
  func makeDurable() throws(StorageError)

  /// Overwrites what was removed or replaced, in every file, after the commit.
  func purgeAfterCommit()

  /// Overwrites what others removed who were killed before they could do so, where this
  /// transaction itself changes nothing.
  ///
  /// An engine that leaves nothing of what was removed need not implement it.
  func finishPurge()
}

extension StorageEngine {
  /// Always waits.
  ///
  /// - Parameter body: Is not called.
  /// - Returns: nil.
  /// - Throws: Nothing.
  public func writeAtOnce<Result: Sendable>(
    _ body: (any StorageWriter) throws(StorageError) -> Result?
  ) throws(StorageError) -> (result: Result, isFinished: Bool)? { nil }

  /// Nothing was left.
  ///
  /// - Throws: Nothing.
  public func finishWriting() throws(StorageError) {}
}

extension StorageWriter {
  /// Nothing was left.
  public func finishPurge() {}
}

extension StorageReader {
  /// It is not known.
  public var isOwn: Bool { false }

  /// Finds no fault.
  ///
  /// - Throws: Nothing.
  public func checkStructure() throws(StorageError) {}
}

/// The opaque name of a row: a space and bytes.
public struct RowName: Hashable, Sendable {
  /// The space, which may be emptied as a whole.
  public let space: UInt8
  /// The name in the space.
  public let bytes: [UInt8]

  /// A name from its parts.
  public init(space: UInt8, bytes: [UInt8]) {
    self.space = space
    self.bytes = bytes
  }
}

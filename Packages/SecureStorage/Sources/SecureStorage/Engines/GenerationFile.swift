internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The small mapped file beside a database that tells every process of each commit.
///
/// Its first word is twice the generation, plus one while a commit is under way: a process killed
/// in the middle of one leaves an odd word, which no reader trusts.
///
/// The second is the last generation that is known to be durable: it shows a database that is
/// older than it was. Where commits are not synced it lags behind, since a power cut may undo
/// them.
///
/// The third is raised by who waits to be woken, each time before it looks; the fourth is what the
/// third was when the bell was rung last. While they are the same nobody listens, and a commit
/// spares the bell.
///
/// The fifth says how often a sign-out has passed over the lock of a process that did not move: a
/// commit that was under way then must not count.
// `@unchecked` holds because the mapping is never moved before `deinit`, and the words in it
// are only touched as atomics.
final class GenerationFile: @unchecked Sendable {
  private static let length = 4096
  private static let bellOffset: off_t = 64
  /// The word of a store that was set aside.
  static let retired = UInt64.max - 1

  private let file: Int32
  private let mapping: UnsafeMutableRawPointer
  private let word: UnsafeMutablePointer<Atomic<UInt64>>
  private let durableWord: UnsafeMutablePointer<Atomic<UInt64>>
  private let asked: UnsafeMutablePointer<Atomic<UInt64>>
  private let answered: UnsafeMutablePointer<Atomic<UInt64>>
  private let epochWord: UnsafeMutablePointer<Atomic<UInt64>>

  init(path: String) throws(StorageError) {
    file = try POSIX.openFile(path, creating: true)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw POSIX.failure("cannot look at", path) }
    if status.st_size < GenerationFile.length {
      // Written out, not extended: a mapped hole would trap on a full disk. Only what is
      // missing, since another process may already use the beginning.
      let missing = GenerationFile.length - Int(status.st_size)
      let zeros = [UInt8](repeating: 0, count: missing)
      guard pwrite(file, zeros, missing, status.st_size) == missing else {
        let code = errno
        close(file)
        throw POSIX.failure("cannot write", path, code)
      }
    }
    guard
      let mapping = mmap(
        nil,
        GenerationFile.length,
        PROT_READ | PROT_WRITE,
        MAP_SHARED,
        file,
        0
      ), mapping != MAP_FAILED
    else {
      let code = errno
      close(file)
      throw POSIX.failure("cannot map", path, code)
    }
    self.mapping = mapping
    word = mapping.assumingMemoryBound(to: Atomic<UInt64>.self)
    durableWord = word + 1
    asked = word + 2
    answered = word + 3
    epochWord = word + 4
  }

  deinit {
    munmap(mapping, GenerationFile.length)
    close(file)
  }

  var stamp: UInt64 { word.pointee.load(ordering: .acquiring) }

  /// The generation of the last commit, and of the one before while one is under way.
  static func generation(of stamp: UInt64) -> UInt64 { stamp >> 1 }

  /// The same as far as it can be believed: nobody has committed that often as a damaged word says,
  /// and a database that went on from there could not be read (its format allows no such number).
  static func believed(_ generation: UInt64) -> UInt64 { generation < 1 << 59 ? generation : 0 }

  /// The last generation that is known to be durable.
  ///
  /// Never above the generation that the first word tells: a flipped bit in either must not make
  /// a sound database look old.
  var durable: UInt64 {
    GenerationFile.believed(min(durableWord.pointee.load(ordering: .acquiring), stamp >> 1))
  }

  /// Only under the writers' lock.
  func setDurable(_ generation: UInt64) {
    durableWord.pointee.store(generation, ordering: .releasing)
  }

  /// Another one than when the lock was taken says that the lock counts no more.
  var epoch: UInt64 { epochWord.pointee.load(ordering: .sequentiallyConsistent) }

  /// Whoever holds the lock just now must not go on.
  func beginEpoch() { epochWord.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }

  static func isSettled(_ stamp: UInt64) -> Bool { stamp & 1 == 0 }

  /// From here on no reader trusts what it read before.
  func beginCommit(after generation: UInt64) {
    word.pointee.store(generation << 1 | 1, ordering: .sequentiallyConsistent)
  }

  func endCommit(_ generation: UInt64) {
    word.pointee.store(generation << 1, ordering: .sequentiallyConsistent)
    // In one order with the word: who asks after this sees the word.
    let question = asked.pointee.load(ordering: .sequentiallyConsistent)
    guard question != answered.pointee.load(ordering: .relaxed) else { return }
    ring()
    // Afterwards, and only what was asked before: killed in between, the next one rings again.
    answered.pointee.store(question, ordering: .relaxed)
  }

  /// Has the next commit of anybody ring, once; to be said before the state is looked at.
  func listen() { asked.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }

  /// Sets the word as a whole: to ``retired``, or back when that failed.
  func set(_ stamp: UInt64) {
    word.pointee.store(stamp, ordering: .sequentiallyConsistent)
    ring()
  }

  /// A store into a mapping wakes no watcher of files; a write does.
  ///
  /// Failing is harmless: the word is what counts.
  private func ring() {
    var bell: UInt8 = 1
    _ = pwrite(file, &bell, 1, GenerationFile.bellOffset)
  }
}

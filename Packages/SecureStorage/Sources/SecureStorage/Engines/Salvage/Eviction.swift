#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Goes on without the writers' lock, where the process that holds it does not move: it is
/// stopped, or hangs (R4).
///
/// What is on the disk is what a crash of that process would have left, and so another database
/// can be made of it. The epoch moves first, by which the commit that was under way learns that
/// it does not count; then the lock gets a new file, so that nobody waits for the old one any
/// more. When the process goes on it finds nothing of its files in place.
struct Eviction {
  /// A process that writes for as long as that between two looks will free the lock by itself.
  private static let stillness: UInt32 = 200_000

  let files: StoreFiles

  /// Makes another database of what can be read, and puts it in place.
  ///
  /// - Parameters:
  ///   - generations: The store's words.
  ///   - recover: Makes the new database of what was read; with its generation, where it is known.
  /// - Returns: The generation of the store then.
  /// - Throws: `busy` where the process moves after all, `io`; the store is as it was then.
  func perform(
    _ generations: GenerationFile,
    _ recover: (OldFiles) throws(StorageError) -> (image: [UInt8], generation: UInt64?)
  ) throws(StorageError) -> UInt64 {
    let (old, new) = (try FileLock(path: files.lock), try FileLock(replacing: files.lock))
    var isInPlace = false
    defer { if !isInPlace { unlink(files.lock + ".new") } }
    generations.beginEpoch()
    let stamp = generations.stamp
    let last = GenerationFile.believed(GenerationFile.generation(of: stamp))
    let before = try OldFiles([files.database, files.log])
    let seen = try before.contents(files)
    usleep(Eviction.stillness)
    let recovered = try recover(before)
    let swap = DatabaseSwap(files: files)
    try swap.prepare(recovered.image)
    do throws(StorageError) {
      guard try before.contents(files) == seen, generations.stamp == stamp, !old.isFree() else {
        throw StorageError(
          .busy,
          "Another process is writing to the store in \(files.directory)",
          advice: "Try again."
        )
      }
      try new.takePlace()
      isInPlace = true
    } catch {
      swap.abandon()
      throw error
    }
    // Who has waited for the old lock sees by it that there is another.
    generations.beginEpoch()
    generations.beginCommit(after: last)
    try swap.settle()
    guard let generation = recovered.generation else {
      generations.set(last << 1)
      return last
    }
    generations.setDurable(generation)
    generations.endCommit(generation)
    return generation
  }
}

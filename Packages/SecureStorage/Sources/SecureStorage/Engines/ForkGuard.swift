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

/// Notices that this process is a child made by `fork`, whose copy of a store is no store.
///
/// SQLite's locks belong to the parent, and the child shares its log's memory. The answer must
/// cost a read nothing, so it is a counter that the C library raises in each child.
struct ForkGuard: Sendable {
  private static let forks: Counter = {
    let counter = Counter()
    pthread_atfork(nil, nil) { ForkGuard.childWasMade() }
    return counter
  }()

  private let forksAtStart: Int

  init() { forksAtStart = ForkGuard.forks.value.load(ordering: .relaxed) }

  var isInChild: Bool { ForkGuard.forks.value.load(ordering: .relaxed) != forksAtStart }

  func check() throws(StorageError) {
    guard !isInChild else {
      throw .misuse(
        "The store was opened before fork and is used by the child",
        advice: "Open it in the child, or start the child with exec."
      )
    }
  }

  private static func childWasMade() { forks.value.wrappingAdd(1, ordering: .relaxed) }

  private final class Counter: Sendable {
    let value = Atomic(0)
  }
}

internal import CSodium

/// Memory for keys: never swapped where the system allows it, between guard pages, overwritten
/// when the last reference goes.
// `@unchecked` holds because the bytes are written in `init` and in `deinit` only, when no other
// reference exists; in between they are read-only.
final class LockedMemory: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  /// Room for `count` bytes, filled once by `fill`.
  init<Failure: Error>(
    count: Int,
    filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    // Without libsodium, or without a page for a key, there is nothing left to do that would
    // be safe: a key must not land in ordinary memory because the system is short of it.
    guard Sodium.isReady, let start = sodium_malloc(count) else {
      preconditionFailure("no locked memory for a key")
    }
    memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    do {
      try fill(memory)
    } catch {
      sodium_free(start)
      throw error
    }
  }

  deinit { sodium_free(memory.baseAddress) }

  var count: Int { memory.count }

  /// The bytes, valid during the call only.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }
}

internal import Dispatch

#if os(Linux) || os(Android)
internal import CEventLoop
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Tells of writes to a store's files by any process: inotify on Linux, kqueue on Apple.
// `@unchecked` holds because a dispatch source may be cancelled from any thread, which is all
// that is done to it after `init`.
final class DirectoryWatcher: @unchecked Sendable {
  private let source: any DispatchSourceProtocol

  /// Starts watching; nil where the system gives no watch.
  ///
  /// `changed` is called on a queue of its own after each burst of writes, and returns whether
  /// what it saw was settled; where it was not, it is called again a little later, since a
  /// process killed in its commit rings no bell. Whoever is woken must ask to be woken again
  /// before it looks, and so must who made this watcher.
  init?(_ files: StoreFiles, _ changed: @escaping @Sendable () -> Bool) {
    let queue = DispatchQueue(label: "store.watch")
    #if os(Linux) || os(Android)
    let notify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard notify >= 0 else { return nil }
    let mask = UInt32(IN_MODIFY) | UInt32(IN_MOVE_SELF)
    guard inotify_add_watch(notify, files.generation, mask) >= 0 else {
      close(notify)
      return nil
    }
    // The log too, so that a commit is seen whose process died before it rang the bell.
    _ = inotify_add_watch(notify, files.log, mask)
    let source = DispatchSource.makeReadSource(fileDescriptor: notify, queue: queue)
    source.setEventHandler {
      DirectoryWatcher.drain(notify)
      DirectoryWatcher.look(changed, on: queue)
    }
    source.setCancelHandler { close(notify) }
    #else
    let file = open(files.generation, O_EVTONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    let source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: file,
      eventMask: [.write, .rename],
      queue: queue
    )
    source.setEventHandler { DirectoryWatcher.look(changed, on: queue) }
    source.setCancelHandler { close(file) }
    #endif
    self.source = source
    source.resume()
  }

  func stop() { source.cancel() }

  private static func look(_ changed: @escaping @Sendable () -> Bool, on queue: DispatchQueue) {
    guard !changed() else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) { _ = changed() }
  }

  #if os(Linux) || os(Android)
  private static func drain(_ notify: Int32) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(notify, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
  #endif
}

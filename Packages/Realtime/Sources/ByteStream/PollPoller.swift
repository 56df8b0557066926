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

/// Waits with poll(2): for systems without epoll, and in tests on those that have it.
final class PollPoller: Poller {
  private struct Entry {
    var interest: Readiness
    var token: UInt64
  }

  private let entries = Mutex<[Int32: Entry]>([:])
  private let wakeRead: Int32
  private let wakeWrite: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    let status = pipe(&ends)
    precondition(status == 0, "no descriptor left for the event loop")
    (wakeRead, wakeWrite) = (ends[0], ends[1])
    for end in ends {
      makeNonBlocking(end)
      closeOnExec(end)
    }
  }

  func add(_ descriptor: Int32, _ interest: Readiness, token: UInt64) {
    entries.withLock { $0[descriptor] = Entry(interest: interest, token: token) }
    wake()
  }

  func change(_ descriptor: Int32, _ interest: Readiness, token: UInt64) {
    add(descriptor, interest, token: token)
  }

  func remove(_ descriptor: Int32) {
    entries.withLock { _ = $0.removeValue(forKey: descriptor) }
    wake()
  }

  func wait(milliseconds: Int32, _ body: (UInt64, Readiness) -> Void) {
    let watched = entries.withLock { Array($0) }
    var set = [pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
    for (descriptor, entry) in watched {
      var events: Int32 = 0
      if entry.interest.contains(.readable) { events |= Int32(POLLIN) }
      if entry.interest.contains(.writable) { events |= Int32(POLLOUT) }
      set.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
    }
    guard poll(&set, nfds_t(set.count), milliseconds) > 0 else { return }
    if set[0].revents != 0 { drainWake() }
    for (index, (_, entry)) in watched.enumerated() {
      let found = Int32(set[index + 1].revents)
      guard found != 0 else { continue }
      let broken = found & Int32(POLLHUP | POLLERR | POLLNVAL) != 0
      var readiness: Readiness = []
      if broken || found & Int32(POLLIN) != 0 { readiness.insert(.readable) }
      if broken || found & Int32(POLLOUT) != 0 { readiness.insert(.writable) }
      body(entry.token, readiness)
    }
  }

  func wake() {
    var byte: UInt8 = 1
    _ = write(wakeWrite, &byte, 1)
  }

  func close() {
    closeDescriptor(wakeRead)
    closeDescriptor(wakeWrite)
  }

  private func drainWake() {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while read(wakeRead, &bytes, bytes.count) > 0 {}
  }
}

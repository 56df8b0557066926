#if os(Linux) || os(Android)
internal import CEventLoop
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// Waits with epoll, level-triggered.
struct EpollPoller: Poller {
  private let epoll: Int32
  private let wakeDescriptor: Int32
  private static let wakeToken = UInt64.max

  init() {
    epoll = ceventloop_create()
    wakeDescriptor = ceventloop_create_wake()
    precondition(epoll >= 0 && wakeDescriptor >= 0, "no descriptor left for the event loop")
    add(wakeDescriptor, .readable, token: Self.wakeToken)
  }

  func add(_ descriptor: Int32, _ interest: Readiness, token: UInt64) {
    control(EPOLL_CTL_ADD, descriptor, interest, token)
  }

  func change(_ descriptor: Int32, _ interest: Readiness, token: UInt64) {
    control(EPOLL_CTL_MOD, descriptor, interest, token)
  }

  func remove(_ descriptor: Int32) { control(EPOLL_CTL_DEL, descriptor, [], 0) }

  func wait(milliseconds: Int32, _ body: (UInt64, Readiness) -> Void) {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      // Newer C libraries take no null pointer there.
      guard let first = events.baseAddress else { return }
      let count = epoll_wait(epoll, first, Int32(events.count), milliseconds)
      guard count > 0 else { return }
      for index in 0..<Int(count) {
        let event = first + index
        let token = ceventloop_token(event)
        if token == Self.wakeToken {
          var count: UInt64 = 0
          _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
          continue
        }
        var readiness: Readiness = []
        if ceventloop_is_readable(event) != 0 { readiness.insert(.readable) }
        if ceventloop_is_writable(event) != 0 { readiness.insert(.writable) }
        body(token, readiness)
      }
    }
  }

  func wake() {
    var one: UInt64 = 1
    _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
  }

  func close() {
    _ = unsafeClose(epoll)
    _ = unsafeClose(wakeDescriptor)
  }

  private func unsafeClose(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #elseif canImport(Musl)
    Musl.close(descriptor)
    #else
    Android.close(descriptor)
    #endif
  }

  private func control(
    _ operation: Int32,
    _ descriptor: Int32,
    _ interest: Readiness,
    _ token: UInt64
  ) {
    // It fails for a descriptor that its owner closed meanwhile, where nothing is to be done.
    _ = ceventloop_control(
      epoll,
      operation,
      descriptor,
      interest.contains(.readable) ? 1 : 0,
      interest.contains(.writable) ? 1 : 0,
      token
    )
  }
}
#endif

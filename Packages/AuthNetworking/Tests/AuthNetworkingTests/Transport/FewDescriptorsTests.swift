#if canImport(Glibc)
import AuthNetworking
import Glibc
import Synchronization
import Testing

/// Processes that have hardly a file descriptor left.
@Suite(.timeLimit(.minutes(5))) struct FewDescriptorsTests {
  @Test func `without descriptors a request is a network error, and neither hangs nor crashes`()
    async throws
  {
    // In a process of its own: the limit belongs to the whole process.
    await #expect(processExitsWith: .success) {
      // The system's own timers need descriptors from the first one on: libdispatch ends a process
      // that has none for them.
      try await Task.sleep(for: .milliseconds(1))
      FewDescriptorsTests.excuseTheDispatchMonitor()
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      for spare in 0...10 {
        var taken: [Int32] = []
        while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
        for descriptor in taken.suffix(spare) { close(descriptor) }
        // Nobody listens there; with a name the resolver wants descriptors, too.
        for host in ["127.0.0.1", "localhost"] {
          let url = try HTTPURL(parsing: "http://\(host):1/")
          let request = HTTPRequest(method: .get, url: url, timeout: .seconds(100))
          do {
            let transport = try CurlTransport()
            // Its thread may not start, and its tasks have to run all the same.
            _ = try await withTaskExecutorPreference(spare % 2 == 0 ? nil : transport.executor) {
              try await transport.send(request)
            }
            exit(EXIT_FAILURE)
          } catch let error as TransportError {
            guard error.code == .network else { exit(2) }
          }
        }
        for descriptor in taken.dropLast(spare) { close(descriptor) }
      }
      exit(EXIT_SUCCESS)
    }
  }

  /// Where libdispatch is in memory.
  private static let dispatch = Atomic<UInt>(0)

  /// On a busy machine libdispatch looks once a second whether its threads get on, and ends a process
  /// in which it cannot open their `/proc` files for that: no fault of who has no descriptor left.
  private static func excuseTheDispatchMonitor() {
    let place = dlsym(dlopen(nil, RTLD_NOW), "dispatch_main")
    dispatch.store(UInt(bitPattern: place), ordering: .relaxed)
    var action = sigaction()
    action.sa_flags = SA_SIGINFO
    action.__sigaction_handler.sa_sigaction = { _, info, _ in
      let address = UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr)
      let known = FewDescriptorsTests.dispatch.load(ordering: .relaxed)
      // All of its code is some 150 kB.
      let isIts = known != 0 && max(address, known) - min(address, known) < 150_000
      _exit(isIts ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    sigaction(SIGILL, &action, nil)
  }
}
#endif

#if canImport(Glibc)
import Glibc
import Testing

@testable import HeadlessClient

@Suite(.timeLimit(.minutes(5))) struct StandardStreamsTests {
  @Test func `A process without spare descriptors is told from one that has them`() async {
    // In a process of its own: the limit belongs to the whole process.
    await #expect(processExitsWith: .success) {
      guard StandardStreams.hasRoom() else { exit(2) }
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var taken: [Int32] = []
      while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
      guard !StandardStreams.hasRoom(for: 1) else { exit(3) }
      for descriptor in taken.suffix(3) { close(descriptor) }
      exit(StandardStreams.hasRoom(for: 3) && !StandardStreams.hasRoom(for: 4) ? 0 : 4)
    }
  }
}
#endif

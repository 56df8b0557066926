#if os(Linux)
import Glibc

extension posix_spawn_file_actions_t {
  /// Keeps from the child what libraries leave open for children.
  ///
  /// A TPM waits for the end of a connection that such a child would keep for as long as it runs.
  mutating func closeOthers(but kept: ClosedRange<CInt>? = nil) {
    for descriptor in 3..<1024 as Range<CInt> where kept?.contains(descriptor) != true {
      posix_spawn_file_actions_addclose(&self, descriptor)
    }
  }
}
#endif

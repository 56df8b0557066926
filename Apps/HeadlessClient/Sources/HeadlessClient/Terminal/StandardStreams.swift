#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

/// The three descriptors that a process is given.
package enum StandardStreams {
  /// Puts something in the place of each that was closed, before anything else is opened.
  ///
  /// The next file to be opened would take its number, and output would go into the store's own
  /// files. A closed input reads as empty; what is written to a closed output fails.
  package static func occupy() {
    for (descriptor, mode) in [(Int32(0), O_RDONLY), (1, O_RDONLY), (2, O_WRONLY)]
    where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is the one that is missing: those below it are open by now.
      _ = open("/dev/null", mode)
    }
  }

  /// Whether the process can still open so many files.
  ///
  /// Swift's own runtime opens some when the first task starts, and ends the process where it
  /// cannot: this has to be asked before.
  package static func hasRoom(for count: Int = 8) -> Bool {
    let spare = (0..<count).map { _ in fcntl(2, F_DUPFD_CLOEXEC, 0) }
    for descriptor in spare where descriptor >= 0 { close(descriptor) }
    return spare.allSatisfy { $0 >= 0 }
  }
}

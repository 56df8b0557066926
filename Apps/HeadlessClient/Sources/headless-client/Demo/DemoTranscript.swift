internal import Synchronization

/// Everything that the demo's clients printed, to be searched for secrets at the end (R9).
final class DemoTranscript: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  /// Adds what a client printed.
  func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }

  /// All of it.
  var all: [UInt8] { bytes.withLock { $0 } }
}

internal import Synchronization

/// Everything that the demo's clients printed, to be searched for secrets at the end (R9).
final class DemoTranscript: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  private let echo: @Sendable (String) -> Void

  /// A transcript that also hands on each command line and what came of it.
  init(echo: @escaping @Sendable (String) -> Void) { self.echo = echo }

  /// Adds what a client printed.
  func add(_ more: [UInt8], of line: String) {
    bytes.withLock { $0 += more }
    echo("$ headless-client \(line)")
    for said in more.split(separator: UInt8(ascii: "\n")) {
      echo("  " + String(decoding: said, as: UTF8.self))
    }
  }

  /// All of it.
  var all: [UInt8] { bytes.withLock { $0 } }
}

public import SessionModels
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

/// Writes down which secrets a test run makes and what it prints or logs, so that `Tools/test` can
/// search the one for the other when everything has run (R9).
///
/// Does nothing unless the environment's `SECRET_SWEEP` names a directory. Each process appends to
/// two files of its own there: `made-PID`, a line a secret, and `said-PID`, the texts as they are.
public enum SecretSweep {
  private static let folder = getenv("SECRET_SWEEP").map { String(cString: $0) }
  private static let made = Record("made")
  private static let said = Record("said")

  /// Whether somebody wants to know.
  public static var isOn: Bool { folder != nil }

  /// Notes secrets that a test or a double has made.
  ///
  /// - Parameters:
  ///   - secrets: what must be found nowhere.
  ///   - maker: who made them, which the search counts.
  public static func made(_ secrets: Secret?..., by maker: StaticString = #fileID) {
    guard isOn else { return }
    let digits = Array("0123456789abcdef".utf8)
    for secret in secrets.compactMap({ $0 }) where !secret.isEmpty {
      let text = secret.withBytes { $0.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } }
      made.append(Array("\(maker) ".utf8) + text)
    }
  }

  /// The same for a secret that is a plain text still.
  public static func made(text: String?, by maker: StaticString = #fileID) {
    guard isOn, let text else { return }
    made(Secret(text), by: maker)
  }

  /// Notes what was printed or logged where only the test sees it.
  ///
  /// - Parameters:
  ///   - text: as it was said, at the most verbose level.
  ///   - speaker: which part of the tests heard it, which the search counts.
  public static func said(_ text: String, by speaker: StaticString = #fileID) {
    guard isOn, !text.isEmpty else { return }
    said.append(Array("\u{1E}\(speaker)\n".utf8) + Array(text.utf8))
  }

  /// A file that is appended to, whole lines at a time.
  private struct Record: ~Copyable, Sendable {
    private let descriptor: Mutex<Int32>

    init(_ name: String) {
      let path = "\(SecretSweep.folder ?? "/dev/null")/\(name)-\(getpid())"
      descriptor = Mutex(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600))
    }

    func append(_ line: [UInt8]) {
      let bytes = line + [UInt8(ascii: "\n")]
      descriptor.withLock { descriptor in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
          // A search of half of the records would prove nothing.
          precondition(count > 0 || errno == EINTR, "SECRET_SWEEP cannot be written to")
          if count > 0 { rest = rest.dropFirst(count) }
        }
      }
    }
  }
}

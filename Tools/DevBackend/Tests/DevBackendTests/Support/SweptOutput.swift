import Foundation
import Synchronization

/// What the backend logs and prints, written down for `Tools/test` to search for secrets; as the
/// client's `SecretSweep`, of which this package knows nothing.
///
/// Does nothing unless the environment's `SECRET_SWEEP` names a directory.
enum SweptOutput {
  private static let file = Mutex(
    ProcessInfo.processInfo.environment["SECRET_SWEEP"].flatMap { folder in
      fopen("\(folder)/said-backend-\(ProcessInfo.processInfo.processIdentifier)", "ae")
    }
  )

  static func said(_ text: String) {
    file.withLock { file in
      guard let file else { return }
      fputs("\u{1E}\(#fileID)\n\(text)\n", file)
      fflush(file)
    }
  }
}

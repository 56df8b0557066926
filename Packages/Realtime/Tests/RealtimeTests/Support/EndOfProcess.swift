import Foundation

extension Process {
  /// Ends it for certain: what is started from a thread that blocks signals, as those of the pool
  /// do, inherits that and never sees SIGTERM.
  func kill() {
    if isRunning { _ = sendKill(processIdentifier) }
  }
}

private func sendKill(_ process: pid_t) -> Int32 { kill(process, SIGKILL) }

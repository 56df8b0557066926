import Foundation

extension Process {
  /// Runs it to its end, on a thread that may block.
  ///
  /// `waitUntilExit` spins a run loop, and on Linux has been seen to miss the end when several
  /// threads wait at once.
  func runToEnd() throws -> Int32 {
    let end = DispatchSemaphore(value: 0)
    terminationHandler = { _ in end.signal() }
    try run()
    end.wait()
    return terminationStatus
  }

  /// Ends it for certain: what is started from a thread that blocks signals, as those of the pool
  /// do, inherits that and never sees SIGTERM.
  func kill() {
    if isRunning { _ = sendKill(processIdentifier) }
  }
}

private func sendKill(_ process: pid_t) -> Int32 { kill(process, SIGKILL) }

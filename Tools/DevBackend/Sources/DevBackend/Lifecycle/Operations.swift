internal import Dispatch
internal import Synchronization

/// What an operator sees and does, beside what clients do: faults, metrics, the journal of
/// sessions, and whether the instance takes work.
final class Operations: Sendable {
  let faults: FaultDesk
  let lifecycle = Lifecycle()
  let metrics = Metrics()
  let journal = SessionJournal()
  let access: OperatorAccess
  let files = FileShelf()
  let answers = IdempotentAnswers()

  private let realtimeRestart = Mutex<(@Sendable () -> Void)?>(nil)
  private let log: @Sendable (BackendLogLine) -> Void
  private let queue = DispatchQueue(label: "dev-backend.operations")

  init(_ configuration: BackendConfiguration) throws(BackendError) {
    faults = FaultDesk(configuration.faults)
    access = try OperatorAccess(tokenFile: configuration.adminTokenFile)
    log = configuration.log
  }

  /// Where every log line of the backend goes.
  func note(_ line: BackendLogLine) {
    metrics.note(line)
    journal.note(line)
    log(line)
  }

  /// What restarts the realtime side, while the backend runs.
  func onRealtimeRestart(_ body: (@Sendable () -> Void)?) { realtimeRestart.withLock { $0 = body } }

  /// Restarts the realtime side; does nothing while the backend does not run.
  func restartRealtime() { realtimeRestart.withLock { $0 }?() }

  /// Ends what would keep a server from stopping: waits, and browsers that watch.
  func close() {
    lifecycle.stop()
    onRealtimeRestart(nil)
    faults.endWaits()
    journal.close()
  }

  /// Undoes ``close()``.
  func reopen() {
    lifecycle.reopen()
    faults.reopen()
    journal.reopen()
  }

  /// Refuses work for a while, as an instance that is being stopped, and says goodbye to streams.
  func drill(_ duration: Duration) {
    lifecycle.beginDrill()
    restartRealtime()
    let milliseconds = Int(duration.milliseconds)
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [lifecycle] in
      lifecycle.endDrill()
    }
  }
}

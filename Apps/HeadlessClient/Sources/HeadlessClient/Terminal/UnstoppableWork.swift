internal import Synchronization

/// Work that goes on when it is interrupted, since it is shorter to finish it than to undo it: says
/// so, and what became of it.
package final class UnstoppableWork: Sendable {
  private let name: String
  private let remedy: String
  private let console: Console
  private let state = Mutex(State())

  private struct State {
    var isInterrupted = false
    var isOver = false
  }

  /// Work that is about to begin.
  ///
  /// - Parameters:
  ///   - name: what it is, as a part of a sentence: `the change of key`.
  ///   - remedy: what to do where it was cut short, as a sentence.
  ///   - console: where it is said.
  package init(_ name: String, ifCutShort remedy: String, on console: Console) {
    (self.name, self.remedy, self.console) = (name, remedy, console)
  }

  /// Runs it.
  ///
  /// - Parameters:
  ///   - interruptions: what tells of Ctrl-C; nil in tests.
  ///   - body: the work.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  package func run<Result>(
    with interruptions: Interruptions?,
    _ body: () async throws(ClientError) -> Result
  ) async throws(ClientError) -> Result {
    interruptions?.onInterrupt {
      self.interrupted()
      return .no
    }
    interruptions?.onEnd { self.cutShort() }
    // The signal may have come before.
    if interruptions?.exitStatus != nil { interrupted() }
    let result: Result
    do {
      result = try await body()
    } catch {
      // The error says what became of it.
      state.withLock { $0.isOver = true }
      throw error
    }
    completed()
    return result
  }

  /// The first signal came.
  func interrupted() {
    let isNews = state.withLock { state in
      defer { state.isInterrupted = true }
      return !state.isOver && !state.isInterrupted
    }
    guard isNews else { return }
    let seconds = Interruptions.patience
    console.note(
      "Interrupted: \(name) goes on for \(seconds) seconds at most; interrupt once more to end it now"
    )
  }

  /// The work is done.
  func completed() {
    let wasInterrupted = state.withLock { state in
      state.isOver = true
      return state.isInterrupted
    }
    if wasInterrupted { console.note("In spite of the interruption \(name) was completed") }
  }

  /// The process is about to be ended.
  func cutShort() {
    guard !state.withLock({ $0.isOver }) else { return }
    console.note("Interrupted before \(name) was completed. \(remedy)")
  }
}

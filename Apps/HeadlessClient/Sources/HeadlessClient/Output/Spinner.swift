internal import Synchronization

/// A sign of life while somebody waits for the network: on terminals, after a while, and gone
/// without a trace.
final class Spinner: Sendable {
  private static let frames = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
  /// What answers sooner needs no sign of life.
  private static let patience = Duration.milliseconds(300)
  private static let pause = Duration.milliseconds(100)

  private let console: Console
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Mutex(State())

  private struct State {
    /// What is waited for just now, by number; one sign serves all.
    var waiting: [Int: String] = [:]
    var next = 0
    var drawing: Task<Void, Never>?
  }

  /// A spinner that does not turn yet.
  ///
  /// - Parameters:
  ///   - console: where it turns: on terminals only, and not with `quiet` or `json`.
  ///   - sleep: waits for a time.
  init(
    on console: Console,
    sleep: @escaping @Sendable (Duration) async throws -> Void = {
      try await Task.sleep(for: $0, clock: .continuous)
    }
  ) {
    self.console = console
    self.sleep = sleep
  }

  /// Turns while something is waited for.
  func during<Result, Failure: Error>(
    _ title: @autoclosure () -> String,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard console.showsProgress else { return try await body() }
    let number = begin(title())
    defer { end(number) }
    return try await body()
  }

  private func begin(_ title: String) -> Int {
    state.withLock { state in
      defer { state.next += 1 }
      state.waiting[state.next] = title
      if state.drawing == nil { state.drawing = Task { await self.draw() } }
      return state.next
    }
  }

  private func end(_ number: Int) {
    state.withLock { state in
      state.waiting[number] = nil
      guard state.waiting.isEmpty else { return }
      state.drawing?.cancel()
      state.drawing = nil
      // Under the lock, so that no frame comes after it.
      console.stopSpinning()
    }
  }

  private func draw() async {
    var (time, frame) = (Spinner.patience, 0)
    while (try? await sleep(time)) != nil {
      let isOver = state.withLock { state in
        guard !Task.isCancelled, let title = state.waiting.min(by: { $0.key < $1.key })?.value
        else { return true }
        console.spin("\(Spinner.frames[frame % Spinner.frames.count]) \(title)")
        return false
      }
      if isOver { return }
      time = Spinner.pause
      frame += 1
    }
  }
}

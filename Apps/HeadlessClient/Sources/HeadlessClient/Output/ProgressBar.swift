internal import Synchronization

/// How far a long piece of work has come, as a bar over the whole line of a terminal.
package final class ProgressBar: Sendable {
  /// Drawing more often would cost more than the work that it shows.
  private static let pause = Duration.milliseconds(100)

  private let title: String
  private let console: Console
  private let now: @Sendable () -> ContinuousClock.Instant
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  /// A bar that is not shown yet.
  ///
  /// - Parameters:
  ///   - title: what is done, in a word.
  ///   - console: where it is shown: on terminals only, and not with `quiet` or `json`.
  ///   - now: the clock that says when it may be drawn again.
  package init(
    _ title: String,
    on console: Console,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.title = title
    self.console = console
    self.now = now
  }

  /// Shows how much is done, at most ten times a second.
  package func show(done: Int, of total: Int) {
    guard console.showsProgress, isDue() else { return }
    console.progress(
      ProgressBar.line(title, done: done, of: total, width: console.style.width - 1)
    )
  }

  /// The same where nobody may know how much there is.
  package func show(done: Int, of total: Int?) {
    if let total { return show(done: done, of: total) }
    guard console.showsProgress, isDue() else { return }
    console.progress("\(title) \(done)")
  }

  private func isDue() -> Bool {
    let now = now()
    return last.withLock { last in
      if let last, now - last < ProgressBar.pause { return false }
      last = now
      return true
    }
  }

  /// The line for a terminal of some columns.
  static func line(_ title: String, done: Int, of total: Int, width: Int) -> String {
    let share = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 1
    let number = String(Int(share * 100))
    let percent = String(repeating: " ", count: 3 - number.count) + number + "%"
    let count = "\(done) of \(total)"
    let room = width - title.count - percent.count - count.count - 6
    guard room >= 5 else { return "\(title) \(percent) \(count)" }
    let filled = Int(share * Double(room))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
    return "\(title) [\(bar)] \(percent)  \(count)"
  }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Synchronization

/// What gives the terminal back where the process crashes while it has changed it.
///
/// One part of the program at a time has the terminal: the chat, or a question for a password. A
/// second one that comes meanwhile is not noted.
enum TerminalRescue {
  /// Ends the chat's screen: colours off, lines that run on, plain pasting, the cursor, and the
  /// screen that was there before.
  static var leave: StaticString {
    "\u{1B}[0m\u{1B}[?7h\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
  }

  /// Makes what the signal handler needs, before there is one: it must not do so itself.
  static func prepare() {
    noted.initialize(to: Noted())
    _ = state.load(ordering: .relaxed)
  }

  /// Notes how the terminal was, before it is changed.
  ///
  /// - Parameters:
  ///   - input: the descriptor of the settings.
  ///   - settings: what they were.
  ///   - screen: where the chat draws; -1 where nothing is drawn.
  static func arm(input: Int32, settings: termios, screen: Int32 = -1) {
    let isMine = state.compareExchange(
      expected: free,
      desired: writing,
      ordering: .acquiringAndReleasing
    ).exchanged
    guard isMine else { return }
    noted.pointee = Noted(input: input, settings: settings, screen: screen)
    state.store(armed, ordering: .releasing)
  }

  /// Forgets it: the terminal is as it was.
  static func disarm() {
    _ = state.compareExchange(expected: armed, desired: free, ordering: .acquiringAndReleasing)
  }

  /// Gives the terminal back; for a signal handler, so nothing but `tcsetattr` and `write`.
  static func carryOut() {
    guard state.load(ordering: .acquiring) == armed else { return }
    tcsetattr(noted.pointee.input, TCSANOW, &noted.pointee.settings)
    let text = leave
    let screen = noted.pointee.screen
    if screen >= 0 { _ = write(screen, text.utf8Start, text.utf8CodeUnitCount) }
  }
}

private struct Noted {
  var input: Int32 = -1
  var settings = termios()
  var screen: Int32 = -1
}

// Computed, for a global that is made at its first use takes a lock for that.
private var free: Int { 0 }
private var writing: Int { 1 }
private var armed: Int { 2 }

private let state = Atomic<Int>(0)

/// Safe: written by the one thread that has moved the state to `writing`, read by a handler that
/// finds it `armed` after that, and never freed.
private nonisolated(unsafe) let noted = UnsafeMutablePointer<Noted>.allocate(capacity: 1)

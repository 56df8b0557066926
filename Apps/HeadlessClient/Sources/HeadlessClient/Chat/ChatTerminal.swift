#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Dispatch
internal import Synchronization

/// The terminal while the chat has it: every key as it is pressed, a screen of its own, and all of
/// that taken back at the end, whichever end it is.
///
/// Ctrl-C stays the signal that it is everywhere, so that a chat that hangs can be ended; the other
/// keys that stop a program are off, for they would leave the terminal as it is now.
final class ChatTerminal: Sendable {
  /// What comes from the terminal.
  enum Event: Sendable {
    case keys([UInt8])
    case resized(width: Int, height: Int)
    /// It is gone.
    case ended
  }

  // The alternate screen, pasted text in brackets, no line that runs on into the next row.
  private static let enter = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[2J"

  private let input: Int32
  private let output: Int32
  private let wakeUp: (read: Int32, write: Int32)
  private let saved: Mutex<termios?>
  // Serial, so that their threads are none of those that tasks run on: both may block.
  private let reading = DispatchQueue(label: "chat input")
  private let writing = DispatchQueue(label: "chat output")

  /// Takes the terminal over; nil where there is none to take.
  init?(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    var settings = termios()
    var ends: [Int32] = [-1, -1]
    guard isatty(output) == 1, tcgetattr(input, &settings) == 0, pipe(&ends) == 0 else {
      return nil
    }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (self.input, self.output, wakeUp) = (input, output, (ends[0], ends[1]))
    saved = Mutex(settings)
    let before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(ICRNL | IXON)
    withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      for key in [VQUIT, VSUSP] { keys[Int(key)] = UInt8(truncatingIfNeeded: disabledKey) }
      keys[Int(VMIN)] = 1
      keys[Int(VTIME)] = 0
    }
    guard tcsetattr(input, TCSAFLUSH, &settings) == 0 else { return nil }
    TerminalRescue.arm(input: input, settings: before, screen: output)
    windowPipe.store(ends[1], ordering: .releasing)
    signal(SIGWINCH, noteWindow)
    write(ChatTerminal.enter, patiently: true)
  }

  deinit {
    restore()
    signal(SIGWINCH, SIG_DFL)
    windowPipe.store(-1, ordering: .releasing)
    close(wakeUp.read)
    close(wakeUp.write)
  }

  /// Gives the terminal back; safe from any thread, and as often as one likes.
  ///
  /// Nothing is drawn after it. A terminal that takes nothing just now, having been stopped, keeps
  /// what it shows: the end does not wait for it.
  func restore() {
    saved.withLock { saved in
      guard var settings = saved else { return }
      saved = nil
      tcsetattr(input, TCSANOW, &settings)
      write("\(TerminalRescue.leave)", patiently: false)
      TerminalRescue.disarm()
    }
  }

  /// The columns and rows that there are.
  var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Waits for what comes next; one caller at a time.
  func next() async -> Event {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        reading.async { continuation.resume(returning: self.wait()) }
      }
    } onCancel: {
      var byte: UInt8 = 0
      _ = systemWrite(wakeUp.write, &byte, 1)
    }
  }

  /// Draws, and returns when the terminal has taken it: a slow one gets fewer pictures, and no heap
  /// of them grows.
  func draw(_ text: String) async {
    await withCheckedContinuation { continuation in
      writing.async {
        self.drawUnlessRestored(text)
        continuation.resume()
      }
    }
  }

  private func drawUnlessRestored(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      // The lock is not held while a terminal that was stopped is waited for.
      guard isWritable(for: 100) else {
        if saved.withLock({ $0 != nil }) { continue }
        return
      }
      let count = saved.withLock { saved -> Int in
        guard saved != nil else { return -1 }
        // A terminal that can be written to takes some of it without waiting.
        return bytes.prefix(256).withUnsafeBytes { systemWrite(output, $0.baseAddress, $0.count) }
      }
      if count < 0, errno == EINTR || errno == EAGAIN, saved.withLock({ $0 != nil }) { continue }
      guard count >= 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  private func write(_ text: String, patiently: Bool) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty, isWritable(for: patiently ? -1 : 100) {
      let count = bytes.withUnsafeBytes { systemWrite(output, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR || errno == EAGAIN { continue }
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }

  private func isWritable(for milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    while true {
      let count = poll(&waiting, 1, milliseconds)
      if count < 0, errno == EINTR { continue }
      return count > 0 && waiting.revents & Int16(POLLOUT) != 0
    }
  }

  private func wait() -> Event {
    var waiting = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&waiting, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return .ended }
      break
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    if waiting[1].revents != 0 {
      _ = systemRead(wakeUp.read, &buffer)
      let size = size
      return .resized(width: size.width, height: size.height)
    }
    while true {
      let count = systemRead(input, &buffer)
      if count < 0, errno == EINTR { continue }
      return count > 0 ? .keys(Array(buffer[..<count])) : .ended
    }
  }
}

#if canImport(Darwin)
private let disabledKey = Int32(0xFF)
#else
// _POSIX_VDISABLE, which is not imported.
private let disabledKey = Int32(0)
#endif

/// Where the signal handler writes to; -1 where no chat has the terminal.
private let windowPipe = Atomic<Int32>(-1)

/// The signal handler: does nothing but `write`, which is safe in one.
private func noteWindow(_ number: Int32) {
  let saved = errno
  var byte: UInt8 = 1
  _ = systemWrite(windowPipe.load(ordering: .acquiring), &byte, 1)
  errno = saved
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
  read(descriptor, &buffer, buffer.count)
}

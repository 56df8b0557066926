#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
package import SessionModels
internal import Synchronization

/// The process's own standard streams, and the terminal behind them where there is one.
package final class Terminal: InputSource, OutputSink {
  private let echo = Mutex(EchoState())
  private let lines = StandardInputLines(descriptor: STDIN_FILENO)

  private struct EchoState {
    /// The open terminal and its settings before echo was switched off.
    var saved: (descriptor: Int32, settings: termios)?
    var isWaiting = false
  }

  /// The standard streams.
  ///
  /// Broken pipes, and files that may not grow, are reported by writes from now on, not by a signal
  /// that ends the process.
  package init() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// The style for these streams.
  package func style(json: Bool, quiet: Bool, verbose: Bool, environment: [String: String]) -> Style
  {
    var style = Style()
    style.json = json
    style.quiet = quiet
    style.verbose = verbose
    let abilities = TerminalAbilities(environment: environment)
    style.resultsAreLive = isatty(STDOUT_FILENO) == 1
    let messagesHaveTerminal = isatty(STDERR_FILENO) == 1
    style.messagesAreLive = abilities.movesCursor && messagesHaveTerminal
    style.colorsResults = abilities.hasColors && style.resultsAreLive
    style.colorsMessages = abilities.hasColors && messagesHaveTerminal
    style.width = columns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
    return style
  }

  private var columns: Int? {
    var size = winsize()
    for descriptor in [STDOUT_FILENO, STDERR_FILENO]
    where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
      return Int(size.ws_col)
    }
    return nil
  }

  package func write(_ bytes: [UInt8], to channel: OutputChannel) -> WriteFailure? {
    let descriptor = channel == .results ? STDOUT_FILENO : STDERR_FILENO
    return bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = systemWrite(
          descriptor,
          bytes.baseAddress.map { $0 + offset },
          bytes.count - offset
        )
        if count >= 0 {
          offset += count
        } else if errno == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else if errno != EINTR {
          return errno == EPIPE ? .readerIsGone : .refused(String(cString: strerror(errno)))
        }
      }
      return nil
    }
  }

  package func standardInput(atMost limit: Int) throws(ClientError) -> [UInt8] {
    waiting(true)
    defer { waiting(false) }
    return try PrivateFiles.bytes(of: STDIN_FILENO, atMost: limit, named: "standard input")
  }

  package func nextLine(atMost limit: Int) async throws(ClientError) -> [UInt8]? {
    try await lines.next(atMost: limit)
  }

  package func line(prompt: String) throws(ClientError) -> String? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    waiting(true)
    defer { waiting(false) }
    return String(decoding: try answer(to: prompt, at: terminal), as: UTF8.self)
  }

  package func secret(prompt: String) throws(ClientError) -> Secret? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    guard switchEchoOff(terminal) else { return nil }
    defer { restoreEcho() }
    var line = try answer(to: prompt, at: terminal)
    defer { for index in line.indices { line[index] = 0 } }
    _ = systemWrite(terminal, Array("\n".utf8))
    return Secret(bytes: line)
  }

  private func answer(to prompt: String, at terminal: Int32) throws(ClientError) -> [UInt8] {
    _ = systemWrite(terminal, Array(prompt.utf8))
    var line: [UInt8] = []
    var byte: [UInt8] = [0]
    while true {
      let count = systemRead(terminal, &byte)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ClientError(.internal, "The terminal cannot be read") }
      if count == 0 || byte[0] == UInt8(ascii: "\n") { break }
      line.append(byte[0])
    }
    return line
  }

  private func waiting(_ isWaiting: Bool) { echo.withLock { $0.isWaiting = isWaiting } }

  private func switchEchoOff(_ terminal: Int32) -> Bool {
    echo.withLock { state in
      var settings = termios()
      guard tcgetattr(terminal, &settings) == 0 else { return false }
      state.saved = (terminal, settings)
      state.isWaiting = true
      TerminalRescue.arm(input: terminal, settings: settings)
      settings.c_lflag &= ~tcflag_t(ECHO)
      return tcsetattr(terminal, TCSAFLUSH, &settings) == 0
    }
  }

  /// Shows again what is typed.
  ///
  /// Safe to call at any time, from any thread.
  ///
  /// - Parameter isInterrupted: whether the question stays without an answer, and the line that it
  ///   stands on is to be ended for what comes after.
  /// - Returns: whether the program was waiting for a person or for standard input, in which
  ///   case nothing but ending the process takes it out of that.
  @discardableResult
  package func restoreEcho(isInterrupted: Bool = false) -> Bool {
    echo.withLock { state in
      defer { state = EchoState() }
      if var saved = state.saved {
        tcsetattr(saved.descriptor, TCSANOW, &saved.settings)
        TerminalRescue.disarm()
        if isInterrupted { _ = systemWrite(saved.descriptor, Array("\n".utf8)) }
      }
      return state.isWaiting
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
  write(descriptor, bytes, bytes.count)
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
  read(descriptor, &buffer, buffer.count)
}

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

/// Ctrl-C and its kin: told to a thread of their own, where everything may be done that a signal
/// handler may not do.
///
/// The first signal runs the actions, which end the command in its own way; what has not ended
/// after a short while, or when a second signal comes, is ended.
package final class Interruptions: Sendable {
  private let state = Mutex(State())
  private let readEnd: Int32

  private struct State {
    var actions: [@Sendable () -> EndsAtOnce] = []
    var lastWords: [@Sendable () -> Void] = []
    var received: Int32?
  }

  /// What an action says of the process.
  package enum EndsAtOnce: Sendable {
    /// Nothing is worth waiting for.
    case yes
    /// The command ends by itself.
    case no
  }

  /// How long a command may take to end by itself.
  package static let patience: UInt32 = 3

  /// Starts to wait; once a process.
  ///
  /// Signals are not held back and waited for, since Dispatch has a thread of its own that lets
  /// all of them through; the handler passes them on through a pipe.
  package init() {
    var ends: [Int32] = [-1, -1]
    let isMade = pipe(&ends) == 0
    readEnd = ends[0]
    // Without a pipe, signals do what they do to every program.
    guard isMade else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    signalPipe.store(ends[1], ordering: .releasing)
    Interruptions.startThread(waitForSignals, Unmanaged.passRetained(self).toOpaque())
    for number in [SIGINT, SIGTERM, SIGHUP] {
      // Who was started with `nohup` goes on when the terminal goes.
      let previous = signal(number, passOn)
      if number == SIGHUP, Interruptions.isIgnored(previous) { signal(number, SIG_IGN) }
    }
  }

  /// Adds what the first signal has to do; the last added is the first to run.
  package func onInterrupt(_ action: @escaping @Sendable () -> EndsAtOnce) {
    state.withLock { $0.actions.append(action) }
  }

  /// Adds what is to be said before a command is ended that has not ended by itself.
  package func onEnd(_ words: @escaping @Sendable () -> Void) {
    state.withLock { $0.lastWords.append(words) }
  }

  /// The status that the process ends with when it was interrupted, else nil: 130 for Ctrl-C.
  package var exitStatus: CommandStatus? {
    state.withLock { $0.received }.map { CommandStatus(rawValue: 128 + $0) }
  }

  fileprivate func wait() {
    var number: UInt8 = 0
    while true {
      let count = read(readEnd, &number, 1)
      if count == 1 { take(Int32(number)) } else if count == 0 || errno != EINTR { return }
    }
  }

  private func take(_ number: Int32) {
    let (isFirst, actions) = state.withLock { state in
      defer { state.received = state.received ?? number }
      return (state.received == nil, state.actions)
    }
    guard isFirst else { end(number) }
    let answers = actions.reversed().map { $0() }
    if answers.contains(.yes) { _exit(128 + number) }
    Interruptions.startThread(endAfterPatience, Unmanaged.passRetained(self).toOpaque())
  }

  private func end(_ number: Int32) -> Never {
    for words in state.withLock({ $0.lastWords }) { words() }
    _exit(128 + number)
  }

  #if canImport(Darwin)
  private typealias ThreadBody =
    @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
  #else
  private typealias ThreadBody =
    @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  #endif

  private static func startThread(_ body: ThreadBody, _ context: UnsafeMutableRawPointer?) {
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    pthread_create(&thread, nil, body, context)
  }

  private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    // Safe: both are C function pointers or null, one word each, and only compared as numbers,
    // since Swift has no `==` for them.
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  fileprivate func waitAndEnd() {
    sleep(Interruptions.patience)
    end(state.withLock { $0.received } ?? SIGINT)
  }
}

/// Where the signal handler writes to; -1 before there is a pipe.
private let signalPipe = Atomic<Int32>(-1)

/// The signal handler: does nothing but `write`, which is safe in one.
private func passOn(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  write(signalPipe.load(ordering: .acquiring), &byte, 1)
  errno = saved
}

#if canImport(Darwin)
private func waitForSignals(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<Interruptions>.fromOpaque(context).takeRetainedValue().wait()
  return nil
}

private func endAfterPatience(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<Interruptions>.fromOpaque(context).takeRetainedValue().waitAndEnd()
  return nil
}
#else
private func waitForSignals(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<Interruptions>.fromOpaque(context).takeRetainedValue().wait() }
  return nil
}

private func endAfterPatience(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context {
    Unmanaged<Interruptions>.fromOpaque(context).takeRetainedValue().waitAndEnd()
  }
  return nil
}
#endif

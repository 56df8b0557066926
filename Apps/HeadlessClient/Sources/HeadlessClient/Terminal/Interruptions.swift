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

/// Ctrl-C and its kin: waited for on a thread of their own, where everything may be done that a
/// signal handler may not do.
///
/// The first signal runs the actions, which end the command in its own way; what has not ended
/// after a short while, or when a second signal comes, is ended.
package final class Interruptions: Sendable {
  private let state = Mutex(State())

  private struct State {
    var actions: [@Sendable () -> EndsAtOnce] = []
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
  private static let patience: UInt32 = 3

  /// Starts to wait.
  ///
  /// To be called on the main thread before any other thread starts, since
  /// threads inherit which signals are held back from them.
  package init() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let context = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    pthread_create(&thread, nil, waitForSignals, context)
  }

  /// Adds what the first signal has to do; the last added is the first to run.
  package func onInterrupt(_ action: @escaping @Sendable () -> EndsAtOnce) {
    state.withLock { $0.actions.append(action) }
  }

  /// The status that the process ends with when it was interrupted, else nil: 130 for Ctrl-C.
  package var exitStatus: CommandStatus? {
    state.withLock { $0.received }.map { CommandStatus(rawValue: 128 + $0) }
  }

  fileprivate func wait() {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    while true {
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { return }
      take(number)
    }
  }

  private func take(_ number: Int32) {
    let (isFirst, actions) = state.withLock { state in
      defer { state.received = state.received ?? number }
      return (state.received == nil, state.actions)
    }
    guard isFirst else { _exit(128 + number) }
    let answers = actions.reversed().map { $0() }
    if answers.contains(.yes) { _exit(128 + number) }
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    pthread_create(&thread, nil, endAfterPatience, UnsafeMutableRawPointer(bitPattern: Int(number)))
  }

  fileprivate static func end(_ number: Int32) {
    sleep(patience)
    _exit(128 + number)
  }
}

#if canImport(Darwin)
private func waitForSignals(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Unmanaged<Interruptions>.fromOpaque(context).takeRetainedValue().wait()
  return nil
}

private func endAfterPatience(_ number: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  Interruptions.end(Int32(truncatingIfNeeded: Int(bitPattern: number)))
  return nil
}
#else
private func waitForSignals(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<Interruptions>.fromOpaque(context).takeRetainedValue().wait() }
  return nil
}

private func endAfterPatience(_ number: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Interruptions.end(Int32(truncatingIfNeeded: Int(bitPattern: number)))
  return nil
}
#endif

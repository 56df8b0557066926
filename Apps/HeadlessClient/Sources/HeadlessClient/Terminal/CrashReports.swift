#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What is printed where the process crashes (R9).
///
/// The report of Swift's runtime on Linux shows the memory behind each register, which may be a
/// token, and reads its settings before a program's first line.
package enum CrashReports {
  /// Puts a report without memory in its place: where it happened, by functions and addresses.
  ///
  /// - Parameter setting: `SWIFT_BACKTRACE`, which can have the runtime's report without memory.
  package static func keepMemoryOut(setting: String?) {
    #if canImport(Glibc) || canImport(Musl)
    guard !isHarmless(setting) else { return }
    #if canImport(Glibc)
    // The first call may load a library, which a signal handler must not do.
    _ = trace?.find(frames, 1)
    #endif
    TerminalRescue.prepare()
    // Where the stack itself has run out.
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: stackSize, alignment: 16)
    stack.ss_size = stackSize
    sigaltstack(&stack, nil)
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
      var action = sigaction()
      #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = report
      #else
      action.__sa_handler.sa_handler = report
      #endif
      action.sa_flags =
        Int32(truncatingIfNeeded: SA_ONSTACK) | Int32(truncatingIfNeeded: SA_RESETHAND)
      sigaction(number, &action, nil)
    }
    stayQuietAtQuit()
    #endif
  }

  #if canImport(Glibc) || canImport(Musl)
  /// Takes the runtime's report from Ctrl-\, which is no crash: the process ends, or goes on where
  /// whoever started it had the signal ignored.
  private static func stayQuietAtQuit() {
    let before = unsafeBitCast(signal(SIGQUIT, SIG_DFL), to: Int.self)
    if before == unsafeBitCast(SIG_IGN, to: Int.self) { signal(SIGQUIT, SIG_IGN) }
  }
  #endif

  /// Whether the runtime reports nothing, or no register: of equal keys the last one counts there.
  static func isHarmless(_ setting: String?) -> Bool {
    var values: [String: String] = [:]
    for pair in (setting ?? "").split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    return values["enable"] == "no" || values["registers"] == "none"
  }

  private static let stackSize = 64 << 10
}

#if canImport(Glibc)
/// The functions of execinfo.h, which Swift's Glibc module leaves out.
private struct Trace {
  typealias Find =
    @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
  typealias Write =
    @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32, Int32) -> Void

  let find: Find
  let write: Write

  init?() {
    guard let find = dlsym(nil, "backtrace"), let write = dlsym(nil, "backtrace_symbols_fd") else {
      return nil
    }
    // Safe: glibc's functions of these names have had these types for ever.
    self.find = unsafeBitCast(find, to: Find.self)
    self.write = unsafeBitCast(write, to: Write.self)
  }
}

private let trace = Trace()
private let mostFrames: Int32 = 64

/// Safe: allocated before the handler is set, and written by the one thread that crashes first.
private nonisolated(unsafe) let frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(
  capacity: Int(mostFrames)
)
#endif

#if canImport(Glibc) || canImport(Musl)
/// The signal handler: calls nothing that takes a lock or memory.
private func report(_ number: Int32) {
  // First, so that the report is on the screen that stays.
  TerminalRescue.carryOut()
  let text: StaticString = """
    headless-client has crashed, which is a defect. Where, without what was in memory (for lines of
    source, run it again with SWIFT_BACKTRACE=registers=none):

    """
  write(2, text.utf8Start, text.utf8CodeUnitCount)
  #if canImport(Glibc)
  if let trace { trace.write(frames, trace.find(frames, mostFrames), 2) }
  #endif
  // It is held back until this returns, and then ends the process as it would have.
  raise(number)
}
#endif

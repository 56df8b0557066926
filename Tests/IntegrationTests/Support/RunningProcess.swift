import Foundation
import SessionModelsTesting
import Synchronization

/// A process that was started, with its output gathered as it comes.
final class RunningProcess: Sendable {
  private struct State {
    var output = Data()
    var errors = Data()
    var openStreams = 2
    var status: (Int32, Bool)?
    var waiters: [@Sendable () -> Void] = []
  }

  let pid: Int32

  private let state = Mutex(State())

  init(
    _ executable: URL,
    _ arguments: [String],
    environment: [String: String],
    input: String
  ) throws {
    let process = Process()
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.executableURL = executable
    process.arguments = arguments
    Foundation.signal(SIGPIPE, SIG_IGN)
    var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("HEADLESS_CLIENT_") }
    all.merge(environment) { $1 }
    let isClient = executable == Executable.headlessClient.url
    if SecretSweep.isOn, isClient { all["HEADLESS_CLIENT_VERBOSE"] = "1" }
    for (name, value) in environment where name.contains("PASS") { SecretSweep.made(text: value) }
    if arguments.contains("--password-stdin") { SecretSweep.made(text: input) }
    process.environment = all
    (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
    // Not `waitUntilExit`: it spins, and takes a processor from what is tested. And nothing here
    // keeps the process: its pipes would stay open, and Foundation crashes where it starts another
    // one while thousands of descriptors are open.
    let (ended, end) = AsyncStream<(Int32, Bool)>.makeStream()
    process.terminationHandler = { process in
      end.yield((process.terminationStatus, process.terminationReason == .uncaughtSignal))
      end.finish()
    }
    try process.run()
    pid = process.processIdentifier
    Task { [self] in
      for await status in ended { change { $0.status = status } }
    }
    // What `--reveal` shows is a result, and is asked for, as is what curl gets from a server.
    let isSwept = !arguments.contains("--reveal") && !arguments.contains("curl")
    gather(stdout, isSwept: isSwept) { $0.output.append($1) }
    gather(stderr, isSwept: true) { $0.errors.append($1) }
    try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try? stdin.fileHandleForWriting.close()
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for the end.
  func outcome() async -> Outcome {
    await wait { $0.status != nil && $0.openStreams == 0 }
    return state.withLock { state in
      Outcome(
        status: state.status?.0 ?? -1,
        wasKilled: state.status?.1 ?? false,
        output: String(decoding: state.output, as: UTF8.self),
        errors: String(decoding: state.errors, as: UTF8.self)
      )
    }
  }

  /// Waits until standard output holds a text, or the process has ended; says which.
  func waitForOutput(_ text: String) async -> Bool {
    let bytes = Data(text.utf8)
    await wait { $0.output.range(of: bytes) != nil || $0.openStreams == 0 }
    return state.withLock { $0.output.range(of: bytes) != nil }
  }

  /// The same for standard error.
  func waitForErrors(_ text: String) async -> Bool {
    let bytes = Data(text.utf8)
    await wait { $0.errors.range(of: bytes) != nil || $0.openStreams == 0 }
    return state.withLock { $0.errors.range(of: bytes) != nil }
  }

  /// Waits until that many whole lines stand in standard output, or the process has ended.
  func waitForLines(_ count: Int) async -> [String] {
    await wait { state in
      state.output.count(where: { $0 == 10 }) >= count || state.openStreams == 0
    }
    return state.withLock { String(decoding: $0.output, as: UTF8.self) }
      .split(separator: "\n").map(String.init)
  }

  private func gather(
    _ pipe: Pipe,
    isSwept: Bool,
    _ append: @escaping @Sendable (inout State, Data) -> Void
  ) {
    let handle = pipe.fileHandleForReading
    let descriptor = dup(handle.fileDescriptor)
    try? handle.close()
    Thread.detachNewThread { [self] in
      var chunk = [UInt8](repeating: 0, count: 65_536)
      var all = Data()
      while true {
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { break }
        let data = Data(chunk[..<count])
        if isSwept { all += data }
        change { append(&$0, data) }
      }
      close(descriptor)
      SecretSweep.said(String(decoding: all, as: UTF8.self))
      change { $0.openStreams -= 1 }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let waiters = state.withLock { state in
      body(&state)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  private func wait(until isDone: @escaping @Sendable (borrowing State) -> Bool) async {
    while true {
      let done = await withCheckedContinuation { continuation in
        let isDoneNow = state.withLock { state in
          if isDone(state) { return true }
          state.waiters.append { continuation.resume(returning: false) }
          return false
        }
        if isDoneNow { continuation.resume(returning: true) }
      }
      if done { return }
    }
  }
}

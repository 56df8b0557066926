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

/// A process of this same executable, as a person or a script would start it.
struct ChildProcess: Sendable {
  /// What it printed, and how it ended.
  struct Outcome: Sendable {
    var results: [UInt8]
    var messages: [UInt8]
    /// The exit status; 128 and the signal where a signal ended it.
    var status: Int32
  }

  /// The process, to be ended early.
  let identifier: pid_t
  private let results: Int32
  private let messages: Int32

  /// Starts it, its standard input empty.
  ///
  /// - Returns: nil where the system refuses.
  static func start(_ arguments: [String], environment: [String: String]) -> ChildProcess? {
    guard let path = executablePath, let results = makePipe(), let messages = makePipe() else {
      return nil
    }
    var actions = FileActions()
    defer { actions.destroy() }
    actions.open(STDIN_FILENO, "/dev/null")
    actions.duplicate(results.write, STDOUT_FILENO)
    actions.duplicate(messages.write, STDERR_FILENO)
    let lines = environment.map { "\($0.key)=\($0.value)" }
    let identifier = spawn(path, [path] + arguments, lines, &actions)
    close(results.write)
    close(messages.write)
    guard let identifier else {
      close(results.read)
      close(messages.read)
      return nil
    }
    return ChildProcess(identifier: identifier, results: results.read, messages: messages.read)
  }

  /// Reads what it prints until it ends; once only.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      // Reading and waiting block, so a thread of Dispatch does it, not one of the pool.
      DispatchQueue.global().async {
        let (out, err) = drain()
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        continuation.resume(
          returning: Outcome(
            results: out,
            messages: err,
            status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal
          )
        )
      }
    }
  }

  /// Reads both pipes side by side, so that a full one does not stop the other.
  private func drain() -> (results: [UInt8], messages: [UInt8]) {
    var texts: [[UInt8]] = [[], []]
    var polls = [
      pollfd(fd: results, events: Int16(POLLIN), revents: 0),
      pollfd(fd: messages, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while polls.contains(where: { $0.fd >= 0 }) {
      guard poll(&polls, nfds_t(polls.count), -1) >= 0 || errno == EINTR else { break }
      for index in polls.indices where polls[index].fd >= 0 && polls[index].revents != 0 {
        let count = read(polls[index].fd, &buffer, buffer.count)
        if count > 0 {
          texts[index] += buffer[..<count]
        } else if count == 0 || errno != EINTR {
          close(polls[index].fd)
          polls[index].fd = -1
        }
      }
    }
    return (texts[0], texts[1])
  }

  /// A pipe that no other child inherits: the demo starts its children one after another.
  private static func makePipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static var executablePath: String? {
    #if canImport(Darwin)
    var size: UInt32 = 0
    _NSGetExecutablePath(nil, &size)
    var buffer = [CChar](repeating: 0, count: Int(size))
    guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
    return "/proc/self/exe"
    #endif
  }
}

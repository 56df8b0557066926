import Testing

@testable import HeadlessClient

#if canImport(Glibc)
import Foundation
import Glibc
#endif

/// R9: what a crash prints.
@Suite(.timeLimit(.minutes(5))) struct CrashReportsTests {
  @Test(arguments: [
    (nil, false), ("", false), ("registers=all", false), ("registers=none", true),
    ("registers=none,registers=crashed", false), ("enable=yes,registers=none", true),
    ("enable=no", true), ("enable=no,enable=yes", false), ("preset=full", false),
  ])
  func `the runtime's report is left alone where it shows no memory`(
    setting: String?,
    isHarmless: Bool
  ) {
    #expect(CrashReports.isHarmless(setting) == isHarmless)
  }

  #if canImport(Glibc)
  @Test func `a crash says where, shows no register, and ends by its signal`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGSEGV),
      observing: [\.standardErrorContent]
    ) {
      CrashReports.keepMemoryOut(setting: nil)
      raise(SIGSEGV)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("has crashed"))
    #expect(text.contains("[0x"))
    #expect(!text.contains("rax"))
    #expect(!text.contains("Registers"))
  }

  @Test func `SIGQUIT is no crash, and ends it without a word`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGQUIT),
      observing: [\.standardErrorContent]
    ) {
      // As the runtime's report; and it may have been ignored from the start.
      signal(SIGQUIT) { _ in _ = write(2, "report", 6) }
      CrashReports.keepMemoryOut(setting: nil)
      CrashReportsTests.quit()
    }
    // Swift Testing writes marks of its own there, so that it is not empty.
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(!text.contains("report"), "\(text)")
    #expect(!text.contains("has crashed"), "\(text)")
  }

  @Test func `SIGQUIT stays ignored where it was`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGQUIT, SIG_IGN)
      CrashReports.keepMemoryOut(setting: nil)
      CrashReportsTests.quit()
    }
  }

  @Test func `a crash leaves the chat's screen before it says anything`() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGSEGV),
      observing: [\.standardErrorContent]
    ) {
      CrashReports.keepMemoryOut(setting: nil)
      TerminalRescue.arm(input: -1, settings: termios(), screen: STDERR_FILENO)
      raise(SIGSEGV)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let (end, report) = (text.range(of: "\u{1B}[?1049l"), text.range(of: "has crashed"))
    #expect(try #require(end).upperBound <= #require(report).lowerBound)
  }

  @Test func `what a crash gives back is the screen and the keyboard as they were`() throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN: stdlib.h's functions for them are left out of Swift's Glibc module.
    var (lock, number) = (Int32(0), UInt32(0))
    try #require(master >= 0)
    try #require(ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(slave >= 0)
    defer { for descriptor in [master, slave] { close(descriptor) } }
    var before = termios()
    try #require(tcgetattr(slave, &before) == 0)
    let chat = try #require(ChatTerminal(input: slave, output: slave))
    var meanwhile = termios()
    tcgetattr(slave, &meanwhile)
    #expect(meanwhile.c_lflag != before.c_lflag)
    TerminalRescue.carryOut()
    var after = termios()
    tcgetattr(slave, &after)
    #expect(after.c_lflag == before.c_lflag)
    #expect(after.c_iflag == before.c_iflag)
    var shown: [UInt8] = []
    var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    while !String(decoding: shown, as: UTF8.self).hasSuffix("\u{1B}[?1049l"),
      poll(&waiting, 1, 120_000) > 0
    {
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = read(master, &buffer, buffer.count)
      try #require(count > 0)
      shown += buffer[..<count]
    }
    #expect(String(decoding: shown, as: UTF8.self).hasSuffix("\(TerminalRescue.leave)"))
    withExtendedLifetime(chat) {}
  }

  /// Gets the signal where the body runs: threads that tasks run on hold it back.
  private static func quit() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGQUIT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(SIGQUIT)
  }
  #endif
}

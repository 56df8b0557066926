import Testing

@testable import HeadlessClient

#if canImport(Glibc)
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
      raise(SIGQUIT)
    }
    #expect(try #require(result).standardErrorContent.isEmpty)
  }

  @Test func `SIGQUIT stays ignored where it was`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGQUIT, SIG_IGN)
      CrashReports.keepMemoryOut(setting: nil)
      raise(SIGQUIT)
    }
  }
  #endif
}

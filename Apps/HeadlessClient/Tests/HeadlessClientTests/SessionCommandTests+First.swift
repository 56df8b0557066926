import AuthNetworking
import Testing

@testable import HeadlessClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A first sign-in that comes to nothing.
extension SessionCommandTests {
  @Test(arguments: [401, 500])
  func `A first sign-in that fails makes no store`(answer: Int) async {
    backend.answer("/auth/login", answer, "{}")
    await signIn()
    #expect(home.mode(of: "profiles/default/store") == nil)
    let left = try? FileManager.default.contentsOfDirectory(atPath: home.path + "/profiles/default")
    #expect(left?.sorted() == ["settings.json", "settings.lock"])
    #expect(await run("status").results.first?["reason"]?.string == "never")
    #expect(await run("store", "info").status == 69)
    backend.answerAsUsual("/auth/login")
    await signIn()
    #expect(await run("whoami").status == 0)
  }

  @Test(arguments: [
    ["login", "ada@example.com"], ["register", "--username", "u", "--email", "u@example.com"],
  ])
  func `A first sign-in that is refused says once what it leaves, and to people only`(
    line: [String]
  ) async {
    backend.answer("/auth/login", 401, "{}")
    backend.answer("/auth/register", 409, #"{"error":"taken"}"#)
    func said(_ options: String...) async -> String {
      let streams = MemoryStreams()
      let environment = ["HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_PASSWORD": "p"]
      let line = line + ["--base-url", "http://127.0.0.1:1"] + options
      let status = await streams.run(line, environment: environment, parts: backend.parts)
      #expect(status != .done)
      return streams.messages
    }
    let first = await said()
    #expect(first.contains("The new profile default keeps"), "\(first)")
    #expect(await !said().contains("new profile"))
    let program = await said("--profile", "other", "--json")
    let lines = program.split(separator: "\n").filter { !$0.hasPrefix(#"{"note""#) }
    #expect(lines.count == 1 && lines[0].hasPrefix(#"{"error""#), "\(program)")
    // What it advises takes it away.
    let removed = await run("profile", "remove", "default", "--yes")
    #expect(removed.status == 0)
    #expect(home.mode(of: "profiles/default") == nil)
  }
}

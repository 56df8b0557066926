import Foundation
import Testing

/// `store import`: values and the session move whole, whatever happens in between.
@Suite struct ImportTests {
  private static let lines = (1...300).map { #"{"key":"key-\#($0)","value":"value of \#($0)"}"# }
    .joined(separator: "\n")

  @Test func `a home moves to another one, with its session, which then has one owner`()
    async throws
  {
    let backend = try await RunningBackend.start()
    defer { backend.process.signal(SIGTERM) }
    let (old, new) = (try ClientHome(backend: backend.url), try ClientHome())
    let registered = try await old.run(
      "register",
      "--username",
      "ada",
      "--email",
      "ada@example.com",
      "--base-url",
      backend.url
    )
    #expect(registered.status == 0, "\(registered.everything)")
    #expect(try await old.run(["store", "import", "-"], input: Self.lines).status == 0)

    let moved = try await new.run("store", "import", "--from", old.path)

    #expect(moved.status == 0, "\(moved.everything)")
    #expect(moved.line?.int("imported") == 300)
    #expect(moved.line?.bool("session") == true)
    #expect(try await new.run("store", "get", "key-7").line?.string("value") == "value of 7")
    #expect(try await old.run("store", "list").output.isEmpty)
    #expect(try await old.run("refresh").status == 77)
    #expect(try await old.run("status").line?.string("state") == "signedOut")
    #expect(try await new.run("refresh").status == 0)
    #expect(try await new.run("whoami").status == 0)
    let again = try await new.run("store", "import", "--from", old.path)
    #expect(again.line?.int("imported") == 0)
    #expect(try await new.run("whoami").status == 0)
    await backend.stop()
  }

  @Test func `what one home lists another one reads`() async throws {
    let (old, new) = (try ClientHome(), try ClientHome())
    #expect(try await old.run(["store", "import", "-"], input: Self.lines).status == 0)
    let bytes = #"{"key":"bytes","base64":"AP8="}"#
    #expect(try await old.run(["store", "import", "-"], input: bytes).status == 0)
    let listed = try await old.run("store", "list", "--values").output
    #expect(listed.split(separator: "\n").count == 301)
    let read = try await new.run(["store", "import", "-"], input: listed)
    #expect(read.line?.int("imported") == 301)
    #expect(try await new.run("store", "list", "--values").output == listed)
  }

  @Test func `another value here is 65 and changes nothing, unless it is replaced`() async throws {
    let (old, new) = (try ClientHome(), try ClientHome())
    #expect(try await old.run(["store", "import", "-"], input: Self.lines).status == 0)
    #expect(try await new.run("store", "set", "key-9", "mine").status == 0)
    let refused = try await new.run("store", "import", "--from", old.path)
    #expect(refused.status == 65)
    #expect(refused.error?.string("message")?.contains("key-9") == true)
    #expect(try await new.run("store", "list").lines.count == 1)
    #expect(try await old.run("store", "list").lines.count == 300)
    let replaced = try await new.run("store", "import", "--from", old.path, "--replace")
    #expect(replaced.line?.int("imported") == 300)
    #expect(try await new.run("store", "get", "key-9").line?.string("value") == "value of 9")
  }

  @Test func `killed anywhere, nothing is lost, and a second run finishes`() async throws {
    for delay in stride(from: 0, through: 75, by: 15) {
      let (old, new) = (try ClientHome(), try ClientHome())
      #expect(try await old.run(["store", "import", "-"], input: Self.lines).status == 0)
      let run = try new.start("store", "import", "--from", old.path)
      // Not for waiting: each time it is killed at another place.
      try await Task.sleep(for: .milliseconds(delay))
      run.signal(SIGKILL)
      _ = await run.outcome()
      let left = Set(try await old.run("store", "list").lines.compactMap { $0.string("key") })
      let here = Set(try await new.run("store", "list").lines.compactMap { $0.string("key") })
      #expect(left.union(here).count == 300)
      let finished = try await new.run("store", "import", "--from", old.path)
      #expect(finished.status == 0, "\(finished.everything)")
      #expect(try await old.run("store", "list").output.isEmpty)
      #expect(try await new.run("store", "list", "--values").lines.count == 300)
    }
  }

  @Test(arguments: [
    (["store", "import"], 64), (["store", "import", "--from", "/nowhere", "-"], 64),
    (["store", "import", "file"], 64), (["store", "import", "-", "--from-profile", "x"], 64),
    (["store", "import", "--from", "/nowhere", "--from-profile", "../x"], 64),
    (["store", "import", "--from", "/nowhere"], 69),
  ])
  func `what cannot be imported is told, and makes no store`(line: [String], status: Int)
    async throws
  {
    let home = try ClientHome()
    #expect(try await home.run(line).status == Int32(status))
    #expect(try await home.run("store", "info").status == 69)
  }

  @Test func `a store with a passphrase is opened with its own`() async throws {
    let (old, new) = (try ClientHome(), try ClientHome())
    let vault = ["HEADLESS_CLIENT_VAULT": "passphrase", "HEADLESS_CLIENT_PASSPHRASE": "old one"]
    #expect(
      try await old.run(["store", "import", "-"], environment: vault, input: Self.lines).status == 0
    )
    let locked = try await new.run("store", "import", "--from", old.path)
    #expect(locked.status == 74)
    #expect(locked.error?.string("code") == "vaultLocked")
    let opened = try await new.run(
      "store",
      "import",
      "--from",
      old.path,
      environment: ["HEADLESS_CLIENT_FROM_PASSPHRASE": "old one"]
    )
    #expect(opened.line?.int("imported") == 300)
    let bad = try await new.run(["store", "import", "-"], input: "{}\n")
    #expect(bad.status == 65)
  }
}

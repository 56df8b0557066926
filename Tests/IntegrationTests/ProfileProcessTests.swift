import Foundation
import Testing

/// Two accounts in one home, each used by processes of its own.
@Suite struct ProfileProcessTests {
  @Test func `two profiles at once; one in use keeps its name until its process is gone`()
    async throws
  {
    let backend = try await RunningBackend.start("--seed-demo-data")
    let home = try ClientHome(backend: backend.url)
    for (profile, password) in [("ada", "Lovelace1"), ("grace", "Hopper1906")] {
      let login = try await home.run(
        ["login", "\(profile)@example.com", "--profile", profile, "--base-url", backend.url]
          + ["--realtime-url", backend.realtimeURL],
        environment: ["HEADLESS_CLIENT_PASSWORD": password]
      )
      #expect(login.status == 0, "\(login.everything)")
    }

    let watching = try home.start(
      "messages",
      "watch",
      "general",
      "--after",
      "0",
      "--profile",
      "ada"
    )
    let before = await watching.waitForLines(1).count
    #expect(before > 0)
    let send = ["messages", "send", "general", "from the other profile", "--profile", "grace"]
    #expect(try await home.run(send).line?.bool("isMine") == true)
    #expect(await watching.waitForOutput("from the other profile"))
    for change in [["rename", "ada", "eve"], ["remove", "ada", "--yes"]] {
      let refused = try await home.run(["profile"] + change)
      #expect(refused.status == 75, "\(refused.everything)")
      #expect(refused.error?.string("code") == "storage")
    }
    watching.signal(SIGKILL)
    #expect(await watching.outcome().wasKilled)

    #expect(try await home.run("profile", "rename", "ada", "eve").status == 0)
    #expect(try await home.run("whoami", "--profile", "eve").status == 0)
    let list = try await home.run("profile", "list").lines.compactMap { $0.string("profile") }
    #expect(list == ["eve", "grace"])
    let removed = try await home.run("profile", "remove", "eve", "--yes")
    #expect(removed.line?.bool("revoked") == true, "\(removed.everything)")
    #expect(try await home.run("whoami", "--profile", "eve").status == 77)
    #expect(try await home.run("whoami", "--profile", "grace").status == 0)
    await backend.stop()
  }
}

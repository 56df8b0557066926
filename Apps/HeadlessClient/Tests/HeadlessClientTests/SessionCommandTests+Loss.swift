import AuthNetworking
import Testing

@testable import HeadlessClient

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension SessionCommandTests {
  @Test func `A database that was deleted is told, and the next login starts afresh`() async {
    await signIn()
    for _ in 0..<2 {
      for name in ["store.db", "store.db-wal", "store.db-shm"] {
        home.remove("profiles/default/store/\(name)")
      }
      let status = await run("status")
      #expect(status.status == 0)
      #expect(status.results.first?["state"]?.string == "signedOut")
      #expect(status.results.first?["reason"]?.string == "tampered")
      #expect(status.printed.contains("store.db was removed"))
      let get = await run("store", "get", "k")
      #expect(get.status == 74)
      #expect(get.error?["code"]?.string == "tampered")
      #expect(await run("whoami").status == 77)
      await signIn()
      #expect(await run("whoami").status == 0)
    }
    home.remove("profiles/default/store/store.db")
    #expect(await run("logout").results.first?["revoked"]?.bool == false)
    #expect(await run("status").results.first?["reason"]?.string == "userRequested")
    await signIn()
    #expect(await run("whoami").status == 0)
  }

  @Test func `A login that has no passphrase for a fresh store leaves the lost one in its place`()
    async
  {
    let login = ["login", "ada@example.com", "--base-url", "http://127.0.0.1:1"]
    func run(_ line: [String], passphrase: String?) async -> (status: CommandStatus, text: String) {
      let streams = MemoryStreams()
      var environment = ["HEADLESS_CLIENT_HOME": home.path]
      environment["HEADLESS_CLIENT_PASSWORD"] = "password-of-ada"
      environment["HEADLESS_CLIENT_PASSPHRASE"] = passphrase
      let status = await streams.run(line, environment: environment, parts: backend.parts)
      return (status, streams.results + streams.messages)
    }
    #expect(
      await run(login + ["--vault", "passphrase"], passphrase: "correct horse").status == .done
    )
    home.flip(0xFF, at: 3, of: "profiles/default/store/store.passphrase")
    #expect(await run(["store", "list"], passphrase: "correct horse").text.contains("damaged"))
    #expect(await run(login, passphrase: nil).status == .usage)
    #expect(home.mode(of: "profiles/default/store/store.db") != nil)
    // So it is told still, and the fresh one gets the vault that the lost one had.
    #expect(await run(["store", "list"], passphrase: "correct horse").text.contains("damaged"))
    let fresh = await run(login, passphrase: "another horse")
    #expect(fresh.status == .done && fresh.text.contains(".aside-"), "\(fresh.text)")
    let info = await run(["store", "info", "--json"], passphrase: "another horse")
    #expect(info.text.contains(#""vault":"passphrase""#), "\(info.text)")
  }

  @Test func `Logout says whom it told`() async {
    let text = { [self] in
      let streams = MemoryStreams()
      let environment = ["HEADLESS_CLIENT_HOME": home.path]
      _ = await streams.run(["logout"], environment: environment, parts: backend.parts)
      return streams.results
    }
    #expect(await text() == "Nobody was signed in here\n")
    await signIn()
    #expect(await text() == "Signed out, here and on the server\n")
    #expect(await text() == "Nobody was signed in here\n")
    await signIn()
    backend.answer("/auth/logout", 500, "{}")
    #expect(await text() == "Signed out here; the server could not be told\n")
    await signIn()
    home.setMode(0o777)
    #expect(
      await text().hasPrefix("Signed out here; the server was not told: Others can write to ")
    )
    home.setMode(0o700)
    #expect(await run("status").results.first?["reason"]?.string == "userRequested")
  }

  @Test(
    arguments: ["store.lock", "store.db-wal", "store.db-shm", "store.generation"],
    [true, false]
  )
  func `What is in the place of a file and is none keeps nobody signed in`(
    name: String,
    isPipe: Bool
  ) async {
    func obstruct() {
      let path = "\(home.path)/profiles/default/store/\(name)"
      home.remove("profiles/default/store/\(name)")
      #expect((isPipe ? mkfifo(path, 0o600) : mkdir(path, 0o700)) == 0)
    }
    await signIn()
    obstruct()
    let told = await run("logout")
    #expect(told.status == 0 && told.results.first?["revoked"]?.bool == true)
    obstruct()
    let again = await run("logout")
    #expect(again.status == 0 && again.results.first?["revoked"]?.bool == false)
    #expect(await run("status").results.first?["reason"]?.string == "userRequested")
    await signIn()
    #expect(await run("whoami").status == 0)
    home.remove("profiles/default/store")
    mkdir(home.path + "/profiles/default/store", 0o700)
    obstruct()
    #expect(await run("logout").status == 0)
  }
}

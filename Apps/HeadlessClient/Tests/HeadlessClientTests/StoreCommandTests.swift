import AuthNetworking
import Foundation
import Testing

@testable import HeadlessClient

struct StoreCommandTests {
  private let home = TemporaryDirectory()

  private func run(
    _ line: [String],
    input: String = "",
    environment: [String: String] = [:]
  ) async -> (status: CommandStatus, streams: MemoryStreams) {
    let streams = MemoryStreams(input: input)
    var environment = environment
    environment["HEADLESS_CLIENT_HOME"] = home.path
    return (await streams.run(line, environment: environment), streams)
  }

  @Test func `A value comes back byte for byte`() async {
    #expect(await run(["store", "set", "k", "v"]).status == .done)
    #expect(await run(["store", "get", "k"]).streams.results == "v")
    #expect(await run(["store", "set", "k", "-"], input: "two\nlines\n").status == .done)
    #expect(await run(["store", "get", "k"]).streams.results == "two\nlines\n")
    #expect(
      await run(["store", "get", "k", "--json"]).streams.results
        == #"{"key":"k","value":"two\nlines\n"}"# + "\n"
    )
  }

  @Test func `An empty value is a value, a missing key is 69`() async {
    #expect(await run(["store", "set", "k", ""]).status == .done)
    #expect(await run(["store", "get", "k"]).status == .done)
    let missing = await run(["store", "get", "other", "--json"])
    #expect(missing.status == .refused)
    #expect(missing.streams.messages.contains(#""code":"notFound""#))
    #expect(await run(["store", "remove", "other"]).status == .done)
  }

  @Test func `A key or value beyond the limits is 65`() async {
    #expect(await run(["store", "set", "", "v"]).status == .invalidInput)
    let long = String(repeating: "k", count: 1025)
    #expect(await run(["store", "set", long, "v"]).status == .invalidInput)
  }

  @Test func `List shows keys, and values when asked`() async {
    for key in ["b", "a"] { _ = await run(["store", "set", key, "value of \(key)"]) }
    let keys = await run(["store", "list", "--json"]).streams.results
    #expect(keys == "{\"key\":\"a\"}\n{\"key\":\"b\"}\n")
    #expect(
      await run(["store", "list", "--values"]).streams.results
        == "a  value of a\nb  value of b\n"
    )
  }

  @Test func `Another vault than the store's is 64, with advice`() async {
    _ = await run(["store", "set", "k", "v"])
    let environment = ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
    let outcome = await run(
      ["store", "get", "k", "--vault", "passphrase", "--json"],
      environment: environment
    )
    #expect(outcome.status == .usage)
    #expect(outcome.streams.messages.contains("store rekey --vault passphrase"))
  }

  @Test func `A change of key to auto says which vault it takes`() async {
    #expect(
      await run(
        ["store", "set", "k", "v", "--vault", "passphrase"],
        environment: ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
      ).status == .done
    )
    let moved = await run(
      ["store", "rekey", "--vault", "auto"],
      environment: ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
    )
    #expect(moved.status == .done)
    #expect(moved.streams.messages.contains("from the vault passphrase to file"))
    #expect(moved.streams.results == "1 value sealed with a new key\n")
    #expect(await run(["store", "get", "k"]).streams.results == "v")
    let stays = await run(["store", "rekey", "--vault", "auto"])
    #expect(stays.streams.messages.contains("stays file"))
  }

  @Test func `What was not checked is no success and no failure`() async {
    let doctor = await run(["doctor"])
    #expect(doctor.status == .done)
    #expect(doctor.streams.results.contains("– backend: skipped: no backend is known yet"))
    let lines = await run(["doctor", "--json"]).streams.results
    #expect(lines.contains(#"{"check":"backend","ok":true,"detail":"skipped: "#))
  }

  @Test func `A damaged store is repaired, and what is lost is named`() async throws {
    for key in ["a", "b", "c"] { _ = await run(["store", "set", key, "value of \(key)"]) }
    let sound = await run(["store", "repair", "--json"])
    #expect(sound.streams.results == #"{"repaired":3,"lost":[]}"# + "\n")
    #expect(
      await run(["store", "repair"]).streams.results == "Nothing is damaged: 3 values verified\n"
    )
    let database = home.path + "/profiles/default/store/store.db"
    var bytes = try Data(contentsOf: URL(filePath: database))
    for place in [18, 52, 100] { bytes[place] ^= 0xFF }
    try bytes.write(to: URL(filePath: database))
    for command in [["get", "a"], ["verify"], ["set", "d", "1"]] {
      let damaged = await run(["store"] + command)
      #expect(damaged.status == .storage)
      #expect(damaged.streams.messages.contains("store repair"))
    }
    #expect(await run(["doctor"]).streams.results.contains("store repair"))
    let repaired = await run(["store", "repair", "--json"])
    #expect(repaired.status == .done)
    #expect(repaired.streams.results.contains(#"{"repaired":3,"lost":[],"aside":""#))
    #expect(await run(["store", "get", "a"]).streams.results == "value of a")
    #expect(await run(["store", "verify"]).status == .done)
    #expect(await run(["store", "remove", "a"]).status == .done)
  }

  @Test func `A change of key may bring another cipher`() async {
    #expect(await run(["store", "set", "k", "v"]).status == .done)
    let before = await run(["store", "info", "--json"]).streams.results
    #expect(before.contains(#""cipher":"xchacha20-poly1305""#))
    #expect(await run(["store", "rekey", "--cipher", "aes-256-gcm"]).status == .done)
    #expect(await run(["store", "rekey"]).status == .done)
    let after = await run(["store", "info", "--json"]).streams.results
    #expect(after.contains(#""cipher":"aes-256-gcm""#))
    #expect(await run(["store", "get", "k"]).streams.results == "v")
    let unknown = await run(["store", "rekey", "--cipher", "aes-256"])
    #expect(unknown.status == .usage)
    #expect(unknown.streams.messages.contains("did you mean aes-256-gcm?"))
  }

  @Test func `A locked store is 74 whatever the command, and keeps its value`() async {
    let passphrase = ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
    let set = ["store", "set", "k", "v", "--vault", "passphrase"]
    #expect(await run(set, environment: passphrase).status == .done)
    for line in [["store", "get", "k"], ["status"], ["whoami"], ["store", "info"]] {
      let outcome = await run(line + ["--json"])
      #expect(outcome.status == .storage)
      #expect(outcome.streams.messages.contains(#""code":"vaultLocked""#))
    }
    let status = await run(["status", "--json"]).streams.results
    #expect(status.contains(#""state":"unknown""#) && status.contains(#""vault":"passphrase""#))
    let wrong = await run(
      ["store", "get", "k", "--json"],
      environment: [
        "HEADLESS_CLIENT_PASSPHRASE": "wrong"
      ]
    )
    #expect(wrong.status == .storage)
    #expect(wrong.streams.messages.contains(#""code":"wrongKey""#))
    #expect(await run(["logout"]).status == .done)
    #expect(await run(["store", "get", "k"], environment: passphrase).streams.results == "v")
  }

  @Test func `Reset sets the store aside and starts an empty one`() async throws {
    _ = await run(["store", "set", "k", "v"])
    let outcome = await run(["store", "reset", "--json"])
    #expect(outcome.status == .done)
    let line = try #require(JSONValue(parsing: outcome.streams.results.utf8))
    #expect(line["aside"]?.string?.contains(".aside-") == true)
    #expect(await run(["store", "get", "k"]).status == .refused)
  }

  @Test(arguments: [
    ["store", "info"], ["store", "get", "k"], ["store", "rekey"], ["store", "passphrase"],
  ])
  func `Without a store it is 69, and none is made`(line: [String]) async {
    let outcome = await run(line + ["--json"])
    #expect(outcome.status == .refused)
    #expect(outcome.streams.messages.contains(#""code":"notFound""#))
    #expect(home.mode(of: "profiles") == nil)
  }

  @Test(arguments: [
    ["store", "verify"], ["store", "list"], ["store", "remove", "k"], ["doctor"],
  ])
  func `What only looks makes no store`(line: [String]) async {
    _ = await run(line)
    #expect(home.mode(of: "profiles/default/store") == nil)
  }

  @Test func `R15: a key without its store is told, and nothing is made of it`() async {
    _ = await run(["store", "set", "k", "v"])
    for name in ["db", "db-wal", "db-shm", "generation", "lock"] {
      home.remove("profiles/default/store/store.\(name)")
    }
    let outcome = await run(["status", "--json"])
    #expect(outcome.status == .done)
    #expect(outcome.streams.results.contains(#""reason":"never""#))
    #expect(outcome.streams.messages.contains("The vault file holds a key"))
    #expect(home.mode(of: "profiles/default/store/store.db") == nil)
    #expect(await run(["status", "--json"]).streams.messages.contains("holds a key"))
    #expect(await run(["logout"]).status == .done)
  }

  @Test func `A store in the place of another gets its vault`() async {
    let passphrase = ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
    _ = await run(["store", "set", "k", "v", "--vault", "passphrase"], environment: passphrase)
    #expect(await run(["store", "reset"], environment: passphrase).status == .done)
    let info = await run(["store", "info", "--json"], environment: passphrase).streams.results
    #expect(info.contains(#""vault":"passphrase""#))
  }

  @Test func `A new passphrase is asked for twice, and not again`() async {
    let streams = MemoryStreams(typed: ["correct horse", "correct horse"])
    let line = ["store", "set", "k", "v", "--vault", "passphrase"]
    #expect(await streams.run(line, environment: ["HEADLESS_CLIENT_HOME": home.path]) == .done)
    let again = MemoryStreams(typed: ["correct horse"])
    let get = ["store", "get", "k"]
    #expect(await again.run(get, environment: ["HEADLESS_CLIENT_HOME": home.path]) == .done)
    #expect(again.results == "v")
  }

  @Test func `Doctor says which vaults cannot notice a home put back from a backup`() async {
    for vault in ["file", "passphrase"] {
      let environment = ["HEADLESS_CLIENT_PASSPHRASE": "correct horse"]
      let line = ["doctor", "--vault", vault, "--json"]
      let before = await run(line, environment: environment).streams.results
      #expect(before.contains("cannot be noticed"))
      _ = await run(["store", "set", "k", "v", "--vault", vault], environment: environment)
      let outcome = await run(line, environment: environment)
      #expect(outcome.streams.results.contains("cannot be noticed"))
      home.remove("profiles")
    }
  }

  @Test func `A home that others can read is tightened and one that they can write is refused`()
    async
  {
    _ = await run(["store", "set", "k", "v"])
    home.setMode(0o755)
    let outcome = await run(["store", "get", "k", "--json"])
    #expect(outcome.status == .done)
    #expect(outcome.streams.messages.contains("0700"))
    #expect(home.mode() == 0o700)
    home.setMode(0o777)
    #expect(await run(["store", "get", "k"]).status == .storage)
    #expect(home.mode() == 0o777)
  }

  @Test func `Everything of a profile is for its owner only, and its settings hold no secret`()
    async
  {
    let backend = FakeBackend()
    let streams = MemoryStreams()
    _ = await streams.run(
      ["login", "ada@example.com", "--base-url", "http://127.0.0.1:1"],
      environment: [
        "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
      ],
      parts: backend.parts
    )
    #expect(home.mode(of: "profiles/default") == 0o700)
    #expect(home.mode(of: "profiles/default/settings.json") == 0o600)
    let settings = String(
      decoding: home.bytes(of: "profiles/default/settings.json"),
      as: UTF8.self
    )
    #expect(settings.contains("http://127.0.0.1:1"))
    for word in ["token", "seed", "password"] {
      #expect(!settings.replacing("tokenModel", with: "").contains(word))
    }
  }

  @Test(arguments: [
    ["status"], ["whoami"], ["token"], ["restore"], ["refresh"], ["sessions", "list"], ["doctor"],
    ["store", "list"], ["store", "info"], ["store", "get", "k"], ["store", "verify"],
    ["store", "remove", "k"], ["store", "rekey"], ["store", "repair"], ["store", "passphrase"],
    ["request", "GET", "/x"], ["messages", "list", "g"], ["profile", "list"], ["logout"],
  ])
  func `What only reads makes nothing`(line: [String]) async {
    let outcome = await run(line)
    #expect([.done, .notSignedIn, .refused].contains(outcome.status), "\(outcome.status)")
    let made = (try? FileManager.default.contentsOfDirectory(atPath: home.path)) ?? []
    #expect(made == [])
  }

  private var store: String { "\(home.path)/profiles/default/store" }

  @Test func `A link in the database's place keeps its session, and logout says what to do`()
    async throws
  {
    #expect(await run(["store", "set", "k", "v", "--vault", "file"]).status == .done)
    let elsewhere = "\(home.path)/elsewhere"
    try FileManager.default.moveItem(atPath: "\(store)/store.db", toPath: elsewhere)
    try FileManager.default.createSymbolicLink(
      atPath: "\(store)/store.db",
      withDestinationPath: elsewhere
    )
    let outcome = await run(["logout", "--json"])
    #expect(outcome.status == .storage)
    #expect(outcome.streams.messages.contains("The session is still in"))
    #expect(outcome.streams.messages.contains("leads to in its place and log out again"))
    #expect(FileManager.default.fileExists(atPath: elsewhere))
  }

  @Test func `doctor names what was set aside`() async {
    #expect(await run(["store", "set", "k", "v", "--vault", "file"]).status == .done)
    #expect(await run(["doctor"]).streams.results.contains("1 value verified\n"))
    #expect(await run(["store", "reset"]).status == .done)
    let found = await run(["doctor"]).streams.results
    #expect(found.contains("0 values verified; 1 store set aside, the last in \(store).aside-"))
    #expect(found.contains("once nothing is missed"))
  }
}

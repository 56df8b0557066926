import AuthNetworking
import Testing

@testable import HeadlessClient

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Several accounts side by side, each in a profile of its own.
struct ProfileCommandTests {
  private let home = TemporaryDirectory()
  private let backend = FakeBackend()

  private func run(
    _ line: String...,
    typed: [String]? = nil,
    isJSON: Bool = true
  ) async -> (status: CommandStatus, streams: MemoryStreams) {
    let streams = MemoryStreams(typed: typed)
    var environment = [
      "HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_PASSWORD": "password-of-ada",
    ]
    if isJSON { environment["HEADLESS_CLIENT_JSON"] = "1" }
    let status = await streams.run(line, environment: environment, parts: backend.parts)
    return (status, streams)
  }

  private func signIn(_ profile: String) async {
    let login = await run(
      "login",
      "ada@example.com",
      "--base-url",
      "http://127.0.0.1:1",
      "--profile",
      profile
    )
    #expect(login.status == .done)
  }

  private func names() async -> [String] {
    await run("profile", "list").streams.results.split(separator: "\n").compactMap {
      JSONValue(parsing: $0.utf8)?["profile"]?.string
    }
  }

  @Test func `Before there is a profile the list is empty, and nothing is made`() async {
    #expect(await run("profile", "list").status == .done)
    #expect(await names() == [])
    #expect(await run("profile", "show").status == .refused)
    #expect(home.mode(of: "profiles") == nil)
  }

  @Test func `A list says what each remembers, and which one is used`() async throws {
    await signIn("work")
    await signIn("default")
    let lines = await run("profile", "list").streams.results.split(separator: "\n")
    try #require(lines.count == 2)
    let work = try #require(JSONValue(parsing: lines[1].utf8))
    #expect(work["profile"]?.string == "work")
    #expect(work["current"] == .bool(false))
    #expect(work["baseURL"]?.string == "http://127.0.0.1:1")
    #expect(work["vault"]?.string == "file")
    #expect(work["changedAt"]?.string?.hasSuffix("Z") == true)
    let text = await run("profile", "list", "--profile", "work", isJSON: false).streams.results
    #expect(text.contains("work *"))
    #expect(!text.contains("default *"))
  }

  @Test func `Show says who is signed in, and status of another profile does not`() async throws {
    await signIn("work")
    let shown = await run("profile", "show", "work").streams.results
    let value = try #require(JSONValue(parsing: shown.utf8))
    #expect(value["state"]?.string == "signedIn")
    #expect(value["userID"]?.string == "7")
    #expect(value["path"]?.string == "\(home.path)/profiles/work")
    #expect(await run("status").streams.results.contains(#""state":"signedOut""#))
    #expect(await run("profile", "show", "other").status == .refused)
  }

  @Test func `A profile never sees another's values`() async {
    _ = await run("store", "set", "k", "of work", "--profile", "work")
    #expect(await run("store", "get", "k").status == .refused)
    #expect(await run("store", "get", "k", "--profile", "work").status == .done)
  }

  @Test func `A renaming takes the session and the values along`() async {
    await signIn("work")
    _ = await run("store", "set", "k", "v", "--profile", "work")
    let renamed = await run("profile", "rename", "work", "home")
    #expect(renamed.status == .done)
    #expect(renamed.streams.results == #"{"profile":"home","renamed":"work"}"# + "\n")
    #expect(await names() == ["home"])
    #expect(
      await run("store", "get", "k", "--profile", "home", isJSON: false).streams.results == "v"
    )
    #expect(await run("request", "GET", "/auth/me", "--profile", "home").status == .done)
    #expect(await run("status", "--profile", "work").streams.results.contains("signedOut"))
  }

  @Test(arguments: [
    (["work", "taken"], CommandStatus.invalidInput), (["absent", "free"], .refused),
    (["work", "work"], .usage), (["work", "../x"], .usage), (["..", "free"], .usage),
  ])
  func `A renaming that cannot be leaves everything as it is`(
    names: [String],
    status: CommandStatus
  ) async {
    for profile in ["work", "taken"] {
      _ = await run("store", "set", "k", profile, "--profile", profile)
    }
    #expect(await run("profile", "rename", names[0], names[1]).status == status)
    for profile in ["work", "taken"] {
      let value = await run("store", "get", "k", "--profile", profile, isJSON: false)
      #expect(value.streams.results == profile)
    }
  }

  @Test func `While another process uses a profile, it is neither renamed nor removed`()
    async throws
  {
    _ = await run("store", "set", "k", "v", "--profile", "work")
    do {
      let hold = try ProfileHold.take("\(home.path)/profiles/work", .shared)
      #expect(hold != nil)
      for line in [["rename", "work", "free"], ["remove", "work", "--yes"]] {
        let streams = MemoryStreams()
        let status = await streams.run(
          ["profile"] + line,
          environment: ["HEADLESS_CLIENT_HOME": home.path]
        )
        #expect(status == .temporary)
        #expect(streams.messages.contains("in use by another process"))
      }
      // Two at once is what profiles are for.
      #expect(await run("store", "get", "k", "--profile", "work").status == .done)
      withExtendedLifetime(hold) {}
    }
    #expect(await run("profile", "rename", "work", "free").status == .done)
  }

  @Test func `Nobody enters a profile that is being renamed, and the next one does`() async throws {
    _ = await run("store", "set", "k", "v", "--profile", "work")
    let path = "\(home.path)/profiles/work"
    var hold = try ProfileHold.take(path, .exclusive)
    #expect(throws: ClientError.self) { try ProfileHold.take(path, .shared) }
    async let entered = ProfileHold.wait(for: path)
    try ProfileFiles.rename(path, to: "\(home.path)/profiles/free")
    withExtendedLifetime(hold) {}
    hold = nil
    #expect(try await entered == nil)
  }

  @Test func `Who is done with a profile keeps it no longer, though a child has it open as well`()
    async throws
  {
    _ = await run("store", "set", "k", "v", "--profile", "work")
    let path = "\(home.path)/profiles/work"
    var hold = try ProfileHold.take(path, .shared)
    // As a child has it between its start and its exec.
    let copies = try descriptors(of: path).map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    withExtendedLifetime(hold) {}
    hold = nil
    #expect(await run("profile", "rename", "work", "free").status == .done)
  }

  /// The numbers under which a directory is open.
  private func descriptors(of path: String) throws -> [Int32] {
    var (directory, other) = (stat(), stat())
    try #require(stat(path, &directory) == 0)
    return (0..<65_536).filter { descriptor in
      fstat(descriptor, &other) == 0 && other.st_ino == directory.st_ino
        && other.st_dev == directory.st_dev
    }
  }

  @Test func `A removal signs out first, and leaves nothing of it`() async throws {
    await signIn("work")
    _ = await run("store", "set", "k", "v", "--profile", "work")
    let removed = await run("profile", "remove", "work", "--yes")
    #expect(removed.status == .done)
    #expect(removed.streams.results == #"{"removed":"work","revoked":true}"# + "\n")
    #expect(backend.paths.last == "POST /auth/logout")
    #expect(ProfileFiles.entries(of: "\(home.path)/profiles") == [])
    #expect(await run("profile", "remove", "work", "--yes").status == .refused)
  }

  @Test func `A removal that cannot reach the server removes all the same, and says so`() async {
    await signIn("work")
    backend.setReachable(false)
    let removed = await run("profile", "remove", "work", "--yes")
    #expect(removed.status == .done)
    #expect(removed.streams.results.contains(#""revoked":false"#))
    #expect(removed.streams.messages.contains("The server was not told"))
    #expect(ProfileFiles.entries(of: "\(home.path)/profiles") == [])
  }

  @Test(arguments: [
    (nil, CommandStatus.usage, true), (["n"], .usage, true), ([""], .usage, true),
    (["y"], .done, false), (["Yes"], .done, false),
  ])
  func `A person is asked before a removal`(
    typed: [String]?,
    status: CommandStatus,
    stays: Bool
  ) async {
    _ = await run("store", "set", "k", "v", "--profile", "work")
    #expect(await run("profile", "remove", "work", typed: typed).status == status)
    #expect(await names() == (stays ? ["work"] : []))
  }

  @Test func `A damaged profile can be removed, too`() async {
    await signIn("work")
    home.write("no database", to: "profiles/work/store/store.db")
    home.write("no settings", to: "profiles/work/settings.json")
    #expect(await names() == ["work"])
    #expect(await run("profile", "remove", "work", "--yes").status == .done)
    #expect(await names() == [])
  }
}

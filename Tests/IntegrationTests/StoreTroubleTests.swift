import Foundation
import Testing

/// The store under what disks, people and stopped processes do to it, through the executable.
@Suite struct StoreTroubleTests {
  private let home: ClientHome
  private var store: String { home.path + "/profiles/default/store" }

  init() throws { home = try ClientHome() }

  /// Puts some hundred values into the store.
  private func fill() async throws -> [String: String] {
    var values: [String: String] = [:]
    for index in 0..<300 {
      values["key \(index)"] = String(repeating: "\(index) ", count: index % 40 * 9)
    }
    let lines = values.map { "{\"key\":\"\($0)\",\"value\":\"\($1)\"}\n" }.joined()
    #expect(try await home.run("store", "import", "-", input: lines).status == 0)
    return values
  }

  @Test func `a repair that is killed at any moment leaves the damaged store or the repaired one`()
    async throws
  {
    let values = try await fill()
    let path = store + "/store.db"
    var damaged = try Data(contentsOf: URL(filePath: path))
    for page in 1..<damaged.count / 4096 where damaged[page * 4096] == 2 || page == 7 {
      damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
    }
    var whole: [String: String] = [:]
    for round in 0..<12 {
      try damaged.write(to: URL(filePath: path))
      for name in ["store.db-wal", "store.db-shm"] {
        try? FileManager.default.removeItem(atPath: store + "/" + name)
      }
      if round == 0 {
        #expect(try await home.run("store", "verify").status == 74)
      } else {
        let repairing = try home.start("store", "repair")
        try await Task.sleep(for: .milliseconds(5 + round * 25))
        repairing.signal(SIGKILL)
        _ = await repairing.outcome()
      }
      let repair = try await home.run("store", "repair")
      #expect(repair.status == 0, "\(repair.everything)")
      let list = try await home.run("store", "list", "--values")
      #expect(list.status == 0)
      var left: [String: String] = [:]
      for line in list.lines { left[line.string("key") ?? ""] = line.string("value") }
      #expect(left.allSatisfy { values[$0.key] == $0.value })
      // How much can be saved is up to where the values happen to lie, not to who was killed.
      if round == 0 { whole = left }
      #expect(left == whole)
      #expect(!left.isEmpty)
      #expect(try await home.run("store", "verify").status == 0)
    }
  }

  @Test func `R4: logout does not wait for a process that is stopped while it holds the lock`()
    async throws
  {
    let rotating = RotatingBackend(lifetime: 900)
    let backend = try rotating.listen()
    defer { backend.stop() }
    let home = try ClientHome(backend: backend.url)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("store", "set", "k", "v").status == 0)
    let lock = home.path + "/profiles/default/store/store.lock"
    let stopped = try RunningProcess(
      URL(filePath: "/bin/sh"),
      ["-c", "exec 9>>'\(lock)'; flock -x 9; echo locked; kill -STOP $$"],
      environment: [:],
      input: ""
    )
    #expect(await stopped.waitForOutput("locked"))
    let logout = try await home.run("logout")
    #expect(logout.status == 0, "\(logout.everything)")
    #expect(logout.line?.bool("revoked") == true)
    #expect(try await home.run("status").line?.string("state") == "signedOut")
    #expect(try await home.run("store", "get", "k").line?.string("value") == "v")
    #expect(try await home.run("store", "set", "k", "w").status == 0)
    stopped.signal(SIGCONT)
    _ = await stopped.outcome()
    #expect(try await home.run("store", "verify").status == 0)
    #expect(try await home.login().status == 0)
  }

  @Test func `arguments that are not UTF-8 change nothing`() async throws {
    #expect(try await home.run("store", "set", "k", "v").status == 0)
    let client = Executable.headlessClient.url.path
    for (line, status) in [
      ("store set \"$(printf 'k\\377')\" v", 65), ("store set k \"$(printf 'v\\377')\"", 65),
      ("store get \"$(printf 'k\\300\\200')\"", 65),
      ("--profile \"$(printf 'p\\377')\" status", 64),
    ] {
      let process = try RunningProcess(
        URL(filePath: "/bin/sh"),
        ["-c", "exec '\(client)' --json \(line)"],
        environment: ["HEADLESS_CLIENT_HOME": home.path, "HEADLESS_CLIENT_VAULT": "file"],
        input: ""
      )
      #expect(await process.outcome().status == status, "\(line)")
    }
    #expect(try await home.run("store", "list").output == "{\"key\":\"k\"}\n")
    #expect(try await home.run("store", "get", "k").line?.string("value") == "v")
  }

  @Test(.enabled(if: SmallDisk.isAvailable))
  func `a read-only disk is read, and what cannot be done there says so`() async throws {
    let disk = try SmallDisk()
    let home = try ClientHome(in: disk.path)
    let path = home.path + "/profiles/default/store"
    #expect(try await home.run("store", "set", "k", "v").status == 0)
    try disk.setReadOnly(true)
    #expect(try await home.run("store", "get", "k").line?.string("value") == "v")
    #expect(try await home.run("store", "list").lines.count == 1)
    #expect(try await home.run("store", "verify").status == 0)
    #expect(try await home.run("store", "info").line?.int("entries") == 1)
    #expect(try await home.run("status").status == 0)
    let set = try await home.run("store", "set", "k", "w")
    #expect(set.status == 74)
    #expect(set.error?.string("message")?.contains("read-only") == true, "\(set.everything)")
    try disk.setReadOnly(false)
    #expect(try await home.run("store", "set", "k", "w").status == 0)
    try FileManager.default.removeItem(atPath: path + "/store.key")
    try disk.setReadOnly(true)
    #expect(try await home.run("store", "get", "k").error?.string("code") == "keyLost")
  }

  @Test(.enabled(if: SmallDisk.isAvailable), arguments: [0, 20_000, 80_000, 150_000])
  func `signing out on a full disk keeps what is in the log alone`(size: Int) async throws {
    let rotating = RotatingBackend(lifetime: 900)
    let backend = try rotating.listen()
    defer { backend.stop() }
    let disk = try SmallDisk()
    let home = try ClientHome(backend: backend.url, in: disk.path)
    #expect(try await home.login().status == 0)
    #expect(try await home.run("store", "set", "k", "v").status == 0)
    // Room for the log and for no more: it cannot be moved into the database.
    disk.fill(butFor: size + size / 8 + 20_000)
    let big = String(repeating: "a", count: size)
    let set = try await home.run("store", "set", "big", "-", input: big)
    disk.fill()
    let logout = try await home.run("logout")
    #expect(logout.status == 0, "\(logout.everything)")
    #expect(try await home.run("status").line?.string("state") == "signedOut")
    #expect(try await home.run("store", "get", "k").line?.string("value") == "v")
    if set.status == 0 {
      #expect(try await home.run("store", "get", "big").line?.string("value") == big)
    }
    disk.makeRoom()
    #expect(try await home.run("store", "verify").status == 0)
    #expect(try await home.login().status == 0)
  }

  @Test(.enabled(if: SmallDisk.isAvailable))
  func `on a full disk a damaged store is signed out of, and is repaired once there is room`()
    async throws
  {
    let rotating = RotatingBackend(lifetime: 900)
    let backend = try rotating.listen()
    defer { backend.stop() }
    let disk = try SmallDisk()
    let home = try ClientHome(backend: backend.url, in: disk.path)
    #expect(try await home.login().status == 0)
    for key in ["a", "b", "c"] { #expect(try await home.run("store", "set", key, "v").status == 0) }
    let path = home.path + "/profiles/default/store/store.db"
    let file = try FileHandle(forUpdating: URL(filePath: path))
    for place in [52, 100] as [UInt64] {
      try file.seek(toOffset: place)
      try file.write(contentsOf: Data([0xEE]))
    }
    try file.close()
    let damaged = try Data(contentsOf: URL(filePath: path))
    disk.fill()
    // No copy, no repair.
    let repair = try await home.run("store", "repair")
    #expect(repair.status == 74)
    #expect(repair.error?.string("message")?.contains("No copy") == true, "\(repair.everything)")
    #expect(try Data(contentsOf: URL(filePath: path)) == damaged)
    let logout = try await home.run("logout")
    #expect(logout.status == 0, "\(logout.everything)")
    #expect(try await home.run("status").line?.string("state") == "signedOut")
    disk.makeRoom()
    #expect(try await home.run("store", "list").lines.count == 3)
    #expect(try await home.run("store", "verify").status == 0)
    #expect(try await home.login().status == 0)
  }
}

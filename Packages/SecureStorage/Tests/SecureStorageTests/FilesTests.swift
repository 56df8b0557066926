import SecureStorage
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct FilesTests {
  @Test(arguments: [0o000, 0o777] as [mode_t])
  func `the directory is 0700 and every file 0600, whatever the umask`(mask: mode_t) async throws {
    // In a process of its own: the umask belongs to the whole process, and to its other tests.
    await #expect(processExitsWith: .success) { [mask] in
      let home = TemporaryHome()
      umask(mask)
      let store = try await home.open()
      try await store.set("1", forKey: "a")
      #expect(TemporaryHome.mode(of: home.store) == 0o700)
      let names = TemporaryHome.names(in: home.store)
      #expect(
        names == [
          "store.db", "store.db-shm", "store.db-wal", "store.generation", "store.key", "store.lock",
        ]
      )
      for name in names { #expect(TemporaryHome.mode(of: home.store + "/" + name) == 0o600) }
      #expect(store.notes == [])
    }
  }

  @Test func `what others can read is tightened, and a note says so`() async throws {
    let home = TemporaryHome()
    try await home.open().close()
    chmod(home.store, 0o755)
    chmod(home.store + "/store.db", 0o644)
    let store = try await home.open()
    #expect(
      Set(store.notes) == [
        .tightenedPermissions(path: home.store),
        .tightenedPermissions(path: home.store + "/store.db"),
      ]
    )
    #expect(TemporaryHome.mode(of: home.store) == 0o700)
    #expect(TemporaryHome.mode(of: home.store + "/store.db") == 0o600)
  }

  @Test(arguments: ["", "/store.db", "/store.key", "/store.lock", "/store.generation"])
  func `what others can write to is refused`(name: String) async throws {
    let home = TemporaryHome()
    try await home.open().close()
    chmod(home.store + name, 0o722)
    await expect(.io) { try await home.open() }
    #expect(TemporaryHome.mode(of: home.store + name) == 0o722)
  }

  @Test(
    arguments: [
      "", "/store.db", "/store.db-wal", "/store.key", "/store.lock", "/store.generation",
    ]
  )
  func `a symbolic link is refused, not followed`(name: String) async throws {
    let home = TemporaryHome()
    try await home.open().close()
    let moved = home.path + "/elsewhere"
    rename(home.store + name, moved)
    symlink(moved, home.store + name)
    await expect(.io) { try await home.open() }
  }

  @Test func `a database with a second name is refused`() async throws {
    let home = TemporaryHome()
    try await home.open().close()
    link(home.store + "/store.db", home.path + "/other.db")
    await expect(.io) { try await home.open() }
  }

  @Test func `a directory on the way may be a link`() async throws {
    let home = TemporaryHome()
    mkdir(home.path + "/real", 0o700)
    symlink(home.path + "/real", home.path + "/alias")
    let path = home.path + "/alias/store"
    let store = try await SecureStore.open(at: path, vault: FileVault(path: path + "/store.key"))
    try await store.set("1", forKey: "a")
    let direct = home.path + "/real/store/"
    let same = try await SecureStore.open(
      at: direct,
      vault: FileVault(path: direct + "store.key")
    )
    #expect(same === store)
    #expect(try store.info().path == home.path + "/real/store/store.db")
  }

  @Test func `setting aside moves all of it, deletes nothing, and leaves room for a fresh store`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("1", forKey: "a")
    let date = Instant.date(parsing: "2026-04-17T10:00:00.5Z")
    let moved = try await SecureStore.setAside(storeAt: home.store, now: try #require(date))
    #expect(moved == home.store + ".aside-20260417T100000Z")
    await expect(.misuse) { try store.string(forKey: "a") }
    await expect(.misuse) { try await store.set("2", forKey: "a") }
    let fresh = try await home.open()
    #expect(try fresh.keys() == [])
    let again = try await SecureStore.setAside(storeAt: home.store, now: try #require(date))
    #expect(again == moved + "-2")
    await expect(.io) { try await SecureStore.setAside(storeAt: home.store) }
  }

  @Test func `a damaged store can be set aside`() async throws {
    let home = TemporaryHome()
    try await home.open().close()
    TemporaryHome.write([1, 2, 3], to: home.store + "/store.db")
    TemporaryHome.write([1, 2, 3], to: home.keyFile)
    await expect(.damaged) { try await home.open() }
    _ = try await SecureStore.setAside(storeAt: home.store)
    #expect(try await home.open().keys() == [])
  }

  @Test func `a store that was set aside cannot be used by who has it open elsewhere`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("1", forKey: "a")
    let other = try await OtherProcess.open(home)
    #expect(try other.string(forKey: "a") == "1")
    _ = try await SecureStore.setAside(storeAt: home.store)
    await expect(.misuse) { try other.string(forKey: "a") }
    await expect(.misuse) { try await other.set("2", forKey: "a") }
  }
}

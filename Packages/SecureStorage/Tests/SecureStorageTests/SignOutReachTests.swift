import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// R4: how far a sign-out reaches: to the copies that lie aside, and past what stands in its way.
@Suite struct SignOutReachTests {
  private let home = TemporaryHome()

  /// The sealed row of a store's session.
  private static func sealedSession(of store: SecureStore) throws -> [UInt8] {
    try store.engine.read { reader throws(StorageError) -> [UInt8] in
      for name in try reader.names(in: 2) where name.bytes.count == 32 {
        return try reader.row(name) ?? []
      }
      return []
    }
  }

  private func holds(_ directory: String, _ row: [UInt8]) -> Bool {
    TemporaryHome.names(in: directory).contains { name in
      Remains(TemporaryHome.bytes(of: directory + "/" + name)).holds(row)
    }
  }

  /// A store with a session, damaged and repaired, and the copy that the repair made.
  private func repaired() async throws -> (copy: String, session: [UInt8]) {
    let sample = try await RepairSample.make(entries: 30)
    sample.restore(home)
    let sound = try await home.open()
    let session = try SignOutReachTests.sealedSession(of: sound)
    sound.close()
    var bytes = TemporaryHome.bytes(of: home.store + "/store.db")
    bytes[52] ^= 0xFF
    TemporaryHome.write(bytes, to: home.store + "/store.db")
    let vault = FileVault(path: home.keyFile)
    let repair = try await SecureStore.repair(storeAt: home.store, vault: vault)
    let copy = try #require(repair.aside)
    #expect(session.count > 100 && holds(copy, session))
    return (copy, session)
  }

  @Test(arguments: [true, false])
  func `a repair's copy of the session goes with the session, and all else in it stays`(
    isOpen: Bool
  ) async throws {
    let (copy, session) = try await repaired()
    let store = try await home.open()
    #expect(try SecureSessionStorage(store: store).record().authInfo != nil)
    if isOpen {
      try await SecureSessionStorage(store: store).wipe(reason: .userRequested)
    } else {
      store.close()
      try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    }
    for directory in [home.store, copy] {
      #expect(!holds(directory, session), "\(directory)")
      let vault = FileVault(path: home.keyFile)
      let left = try await SecureStore.open(at: directory, vault: vault)
      defer { if directory == copy { left.close() } }
      let record = try SecureSessionStorage(store: left).record()
      #expect(record.authInfo == nil && record.signOutReason == .userRequested)
      #expect(try left.keys().count == 30)
    }
  }

  @Test func `so does the session of a store that was set aside`() async throws {
    let old = try await home.open()
    try await old.set("kept", forKey: "a")
    try await SecureSessionStorage(store: old).setAuthInfo(SecureSessionStorageTests.info("u1"))
    let aside = try await SecureStore.setAside(storeAt: home.store)
    let next = try await home.open()
    try await SecureSessionStorage(store: next).setAuthInfo(SecureSessionStorageTests.info("u2"))
    try await SecureSessionStorage(store: next).wipe(reason: .userRequested)
    next.close()
    let former = try await SecureStore.open(
      at: aside,
      vault: FileVault(path: aside + "/store.key")
    )
    #expect(try SecureSessionStorage(store: former).record().authInfo == nil)
    #expect(try former.string(forKey: "a") == "kept")
  }

  @Test func `a copy that cannot be wiped is named, and the session itself is gone`() async throws {
    let (copy, _) = try await repaired()
    rename(copy + "/store.db", home.path + "/elsewhere")
    symlink(home.path + "/elsewhere", copy + "/store.db")
    let store = try await home.open()
    let storage = SecureSessionStorage(store: store)
    do throws(StorageError) {
      try await storage.wipe(reason: .userRequested)
      Issue.record("the copy was passed over")
    } catch {
      #expect(error.message.contains(copy) && error.advice == "Remove the copy.")
    }
    #expect(try storage.record().authInfo == nil)
  }

  /// What stands in the place of a file.
  enum Obstacle: CaseIterable { case directory, fullDirectory, pipe }

  @Test(
    arguments: ["store.db", "store.db-wal", "store.db-shm", "store.lock", "store.generation"],
    Obstacle.allCases
  )
  func `what is in the place of a file and is none keeps nobody signed in`(
    name: String,
    obstacle: Obstacle
  ) async throws {
    let store = try await home.open()
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let path = home.store + "/" + name
    home.remove(name)
    switch obstacle {
    case .directory: mkdir(path, 0o700)
    case .fullDirectory:
      mkdir(path, 0o700)
      TemporaryHome.write([1], to: path + "/somebody's")
    case .pipe: mkfifo(path, 0o600)
    }
    try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    let kept = TemporaryHome.bytes(of: path + ".obstacle-1/somebody's")
    #expect(kept == (obstacle == .fullDirectory ? [1] : []))
    guard name != "store.db" else { return await expect(.tampered) { try await home.open() } }
    let record = try await SecureSessionStorage(store: home.open()).record()
    #expect(record.authInfo == nil && record.signOutReason == .userRequested)
  }

  @Test(arguments: Obstacle.allCases)
  func `where there never was a store, there is none once the way is clear`(
    obstacle: Obstacle
  ) async throws {
    mkdir(home.store, 0o700)
    for name in ["store.lock", "store.generation", "store.db"] {
      let path = home.store + "/" + name
      if obstacle == .pipe { mkfifo(path, 0o600) } else { mkdir(path, 0o700) }
      if obstacle == .fullDirectory { TemporaryHome.write([1], to: path + "/somebody's") }
    }
    try await SecureStore.clearObstacles(at: home.store)
    #expect(try !SecureStore.exists(at: home.store))
    try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    #expect(try await SecureSessionStorage(store: home.open()).record() == .empty)
  }

  @Test func `a link stays: the store may be where it leads to`() async throws {
    let store = try await home.open()
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let (path, moved) = (home.store + "/store.db", home.path + "/elsewhere")
    rename(path, moved)
    symlink(moved, path)
    await expect(.io) {
      try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    }
    unlink(path)
    rename(moved, path)
    #expect(try await SecureSessionStorage(store: home.open()).record().authInfo != nil)
  }

  /// A number of commits that nobody can have made was written on, and no database could be read
  /// that had it: signing in failed ever after.
  @Test(arguments: [true, false])
  func `a damaged generation file does not spoil what a sign-out leaves`(
    hasDatabase: Bool
  ) async throws {
    let sample = try await RepairSample.make(entries: 5)
    var random = SeededRandom(7)
    for top: UInt8 in [0x00, 0x0F, 0x10, 0x1F, 0x20, 0x7F, 0x80, 0xFF] {
      var words = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Little endian: the highest bytes of the last generation, and of the durable one.
      words[7] = hasDatabase ? top | 0x20 : top
      words[15] = hasDatabase ? top | 0x20 : top
      sample.restore(home, ["store.generation": words])
      if !hasDatabase { home.remove("store.db") }
      try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
      guard hasDatabase else {
        // Signing in sets aside what says so.
        await expect(.tampered) { try await home.open() }
        continue
      }
      let store = try await home.open()
      let record = try SecureSessionStorage(store: store).record()
      #expect(record.authInfo == nil && record.signOutReason == .userRequested)
      #expect(try store.keys().count == 5)
      try await store.set("goes on", forKey: "key 0")
      store.close()
      #expect(try await home.open().string(forKey: "key 0") == "goes on")
    }
  }

  @Test(arguments: [true, false])
  func `in a store of a later version the session goes, and all that this one does not know stays`(
    isAside: Bool
  ) async throws {
    let sample = try await RepairSample.make(entries: 30)
    sample.restore(home)
    let store = try await home.open()
    let session = try SignOutReachTests.sealedSession(of: store)
    store.close()
    let connection = try SQLiteConnection(path: home.store + "/store.db", synchronous: .full)
    try connection.execute(
      """
      CREATE TABLE later(x); INSERT INTO later VALUES(7);
      INSERT INTO rows VALUES(11, x'01', x'02');
      INSERT INTO rows VALUES(0, CAST('later' AS BLOB), x'03'); PRAGMA user_version=2
      """
    )
    _ = try connection.checkpoint(truncating: true)
    connection.close()
    let place = isAside ? try await SecureStore.setAside(storeAt: home.store) : home.store
    if isAside { try await home.open().close() }
    try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    #expect(!holds(place, session))
    let reason = await SecureSessionStorage.signOutReason(ofStoreAt: place)
    #expect(reason == .userRequested)
    let vault = FileVault(path: place + "/store.key")
    await expect(.newerFormat) { try await SecureStore.open(at: place, vault: vault) }
    // Once the later version's own parts are away, this one reads the rest.
    let again = try SQLiteConnection(path: place + "/store.db", synchronous: .full)
    var others: [RowName] = []
    for space: UInt8 in [0, 11] {
      try again.run(.names, space: space) {
        others.append(RowName(space: space, bytes: SQLiteConnection.blob($0)))
      }
    }
    #expect(others.contains(RowName(space: 11, bytes: [1])))
    #expect(others.contains(RowName(space: 0, bytes: Array("later".utf8))))
    try again.execute("DROP TABLE later; PRAGMA user_version=1")
    again.close()
    let left = try await SecureStore.open(at: place, vault: vault)
    #expect(try left.keys().count == 30)
    #expect(try left.string(forKey: "other", in: .profile) == "kept")
    #expect(try SecureSessionStorage(store: left).record().authInfo == nil)
  }
}

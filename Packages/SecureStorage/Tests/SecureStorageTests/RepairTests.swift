import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A damaged store becomes readable again: what can be proved stays, the session too, and what
/// is lost is named.
@Suite struct RepairTests {
  private let home = TemporaryHome()

  private func vault() -> FileVault { FileVault(path: home.keyFile) }

  @Test func `a sound store is left as it is`() async throws {
    let sample = try await RepairSample.make(entries: 20)
    sample.restore(home)
    let repair = try await SecureStore.repair(storeAt: home.store, vault: vault())
    #expect(repair == StoreRepair(readable: 22, lost: [], aside: nil))
    #expect(TemporaryHome.bytes(of: home.store + "/store.db") == sample.database)
    #expect(TemporaryHome.names(in: home.path) == ["store"])
  }

  @Test func `where nothing but the tree above the rows is gone, nothing is lost`() async throws {
    let sample = try await RepairSample.make(entries: 250)
    let inner = sample.pages(2)
    #expect(!inner.isEmpty)
    for page in inner {
      sample.restore(home, ["store.db": sample.zeroing(page)])
      let repair = try await sample.repair(home, "page \(page)")
      // Inner pages hold a row between two leaves each.
      #expect(repair.lost.count < 40)
      #expect(repair.readable > 210)
    }
  }

  @Test func `of each page that is gone, the values on it are named and the others stay`()
    async throws
  {
    let sample = try await RepairSample.make(entries: 60)
    var sessions = 0
    // A page that the tree has given back holds zeros already.
    let pages = (1..<sample.database.count / 4096).filter {
      sample.zeroing($0) != sample.database
    }
    for page in pages {
      sample.restore(home, ["store.db": sample.zeroing(page)])
      let repair = try await sample.repair(home, "page \(page)")
      #expect(repair.readable >= 40, "page \(page)")
      if !repair.lost.contains("<session>") { sessions += 1 }
      let aside = try #require(repair.aside)
      #expect(TemporaryHome.bytes(of: aside + "/store.db") == sample.zeroing(page))
      #expect(TemporaryHome.mode(of: aside) == 0o700)
      #expect(TemporaryHome.mode(of: aside + "/store.db") == 0o600)
      #expect(!TemporaryHome.names(in: aside).contains("store.key"))
    }
    #expect(sessions >= pages.count - 2)
  }

  @Test func `whatever byte of the header is damaged, nothing is lost`() async throws {
    let sample = try await RepairSample.make(entries: 12)
    for place in 0..<100 {
      var bytes = sample.database
      bytes[place] ^= 0xFF
      sample.restore(home, ["store.db": bytes])
      let repair = try await sample.repair(home, "byte \(place)")
      #expect(repair.lost == [], "byte \(place)")
    }
  }

  @Test func `whatever bit of the format's number is damaged, the rest says what it is`()
    async throws
  {
    let sample = try await RepairSample.make(entries: 3)
    for bit in 0..<32 {
      var bytes = sample.database
      bytes[60 + bit / 8] ^= 1 << (bit % 8)
      sample.restore(home, ["store.db": bytes])
      do {
        _ = try await home.open()
        Issue.record("bit \(bit) was to be noticed")
      } catch let error as StorageError {
        #expect([.newerFormat, .damaged].contains(error.code), "bit \(bit)")
        #expect(error.advice.contains("store repair"), "bit \(bit)")
      }
      let repair = try await sample.repair(home, "bit \(bit)")
      #expect(repair.lost == [], "bit \(bit)")
    }
  }

  @Test(arguments: [
    "CREATE TABLE later(x); INSERT INTO later VALUES(7)",
    "INSERT INTO rows VALUES(11, x'01', x'02')",
    "INSERT INTO rows VALUES(0, CAST('later' AS BLOB), x'02')",
    // As damage would have it; with another number it may as well be another format.
    "UPDATE rows SET value = x'00' WHERE length(name) = 32 AND space = 1",
  ])
  func `a store that holds more than this format is left to the version that wrote it`(
    change: String
  ) async throws {
    let sample = try await RepairSample.make(entries: 3)
    sample.restore(home)
    let path = home.store + "/store.db"
    let connection = try SQLiteConnection(path: path, synchronous: .full)
    try connection.execute("\(change); PRAGMA user_version=2")
    _ = try connection.checkpoint(truncating: true)
    connection.close()
    let before = TemporaryHome.bytes(of: path)
    await expect(.newerFormat) {
      _ = try await SecureStore.repair(storeAt: home.store, vault: vault())
    }
    #expect(TemporaryHome.bytes(of: path) == before)
    #expect(TemporaryHome.names(in: home.path) == ["store"])
  }

  @Test func `a flipped bit that no reader minds costs no value`() async throws {
    let sample = try await RepairSample.make(entries: 12)
    let leaves = sample.pages(10)
    #expect(!leaves.isEmpty)
    var readable = 0
    for page in leaves {
      let start = page * 4096
      let cells = Int(sample.database[start + 3]) << 8 | Int(sample.database[start + 4])
      // Where a cell begins: of the higher byte, the bits that no place in a page needs.
      for cell in stride(from: page % 3, to: cells, by: 3) {
        var bytes = sample.database
        bytes[start + 8 + 2 * cell] ^= 0x10 << UInt8(cell % 4)
        sample.restore(home, ["store.db": bytes])
        guard try await isReadable(sample) else { continue }
        readable += 1
        let repair = try await sample.repair(home, "page \(page), cell \(cell)")
        #expect(repair.lost == [], "page \(page), cell \(cell)")
      }
    }
    #expect(readable > 10)
  }

  /// Whether the store opens, and every value of it, and the session.
  private func isReadable(_ sample: RepairSample) async throws -> Bool {
    guard let store = try? await home.open() else { return false }
    defer { store.close() }
    guard (try? store.string(forKey: "other", in: .profile)) == "kept",
      (try? SecureSessionStorage(store: store).record()) != nil
    else { return false }
    return sample.values.allSatisfy { key, value in (try? store.string(forKey: key)) == value }
  }

  @Test func `so does one in the pages that a long value lies in`() async throws {
    let store = try await home.open()
    try await store.set(String(repeating: "long ", count: 3000), forKey: "long")
    store.close()
    let path = home.store + "/store.db"
    let sound = TemporaryHome.bytes(of: path)
    let value = try #require(
      DatabaseImage.rows(in: sound).flatMap { $0 }.first { $0.value.count > 15_000 }?.value
    )
    // The last page of the chain begins with the number of the next, which is none.
    let end = Array(value.suffix(16))
    let last = try #require(sound.indices.first { sound[$0...].starts(with: end) }) / 4096
    var bytes = sound
    bytes[last * 4096 + 3] ^= 8
    TemporaryHome.write(bytes, to: path)
    let read = try await home.open()
    #expect(try read.string(forKey: "long")?.utf8.count == 15_000)
    read.close()
    let repair = try await SecureStore.repair(storeAt: home.store, vault: vault())
    #expect(repair.lost == [] && repair.readable == 1)
    #expect(try await home.open().string(forKey: "long")?.utf8.count == 15_000)
  }

  @Test func `whatever frame of the log is damaged, the others still count`() async throws {
    let sample = try await RepairSample.make(entries: 40, isClosed: false)
    let frames = LogFile.frames(of: sample.log)
    #expect(frames > 20)
    for frame in -1..<frames {
      let start = frame < 0 ? 0 : LogFile.headerLength + frame * LogFile.frameLength
      let parts = [1, 9, 17, 2000]
      for place in frame < 0 ? [0, 9, 17, 25] : [start + parts[frame % 4]] {
        var log = sample.log
        log[place] ^= 0xFF
        sample.restore(home, ["store.db-wal": log])
        let repair = try await sample.repair(home, "frame \(frame), byte \(place)")
        #expect(repair.readable > 0)
        if frame < frames - 20, frame >= 0 || place != 9 {
          #expect(!repair.lost.contains { $0.hasPrefix("<changes") }, "frame \(frame)")
        }
      }
    }
  }

  @Test func `where the log is gone, what was before it stays, and nobody is signed in`()
    async throws
  {
    let home = home
    let store = try await home.open()
    try await store.set("blue", forKey: "colour")
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let again = try await home.open()
    try await again.set("red", forKey: "colour")
    let generation = try again.engine.read { reader throws(StorageError) in reader.generation }
    let contents = RepairSample.files.map { TemporaryHome.bytes(of: home.store + "/" + $0) }
    let other = TemporaryHome()
    mkdir(other.store, 0o700)
    for (name, bytes) in zip(RepairSample.files, contents) where name != "store.db-wal" {
      TemporaryHome.write(bytes, to: other.store + "/" + name)
    }
    await expect(.damaged) { try await other.open() }
    let repair = try await SecureStore.repair(
      storeAt: other.store,
      vault: FileVault(path: other.keyFile)
    )
    #expect(repair.lost == ["<changes after \(generation - 1)>", "<session>"])
    let repaired = try await other.open()
    #expect(try repaired.string(forKey: "colour") == "blue")
    let record = try SecureSessionStorage(store: repaired).record()
    #expect(record.authInfo == nil && record.signOutReason == .tampered)
  }

  @Test func `pages that are gone at random never give a wrong value or a silent absence`()
    async throws
  {
    let sample = try await RepairSample.make(entries: 120)
    var random = SeededRandom(11)
    let pages = sample.database.count / 4096
    var repaired = 0
    for round in 0..<30 {
      var bytes = sample.database
      for _ in 0...round / 4 {
        let start = Int.random(in: 1..<pages, using: &random) * 4096
        let length = [1, 64, 4096].randomElement(using: &random) ?? 1
        let offset = start + Int.random(in: 0...4096 - length, using: &random)
        for place in offset..<offset + length { bytes[place] = 0 }
      }
      sample.restore(home, ["store.db": bytes])
      do {
        _ = try await sample.repair(home, "round \(round)")
        repaired += 1
      } catch let error as StorageError {
        // Both copies of what nothing can be proved without.
        #expect([.damaged, .keyLost].contains(error.code), "round \(round): \(error)")
        #expect(TemporaryHome.bytes(of: home.store + "/store.db") == bytes)
      }
    }
    #expect(repaired > 15)
  }

  @Test func `a value that was changed from outside is named, and its name is free again`()
    async throws
  {
    let sample = try await RepairSample.make(entries: 30)
    var bytes = sample.database
    let rows = DatabaseImage.rows(in: bytes).flatMap { $0 }
    let value = try #require(rows.first { $0.space == 1 && $0.name.count == 32 }).value.suffix(16)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: value) })
    bytes[place] ^= 1
    sample.restore(home, ["store.db": bytes])
    let store = try await home.open()
    let damaged = try await store.verify().damaged
    store.close()
    try #require(damaged.count == 1)
    #expect(try await sample.repair(home, "a byte of a value").lost == damaged)
  }

  @Test func `what no write can get past is mended, and the error says by what`() async throws {
    let store = try await home.open()
    for index in 0..<40 {
      try await store.set(String(repeating: "x", count: 200), forKey: "key \(index)")
    }
    store.close()
    var bytes = TemporaryHome.bytes(of: home.store + "/store.db")
    // The first free block of a leaf: no look-up reads it, and every change does.
    for page in 1..<bytes.count / 4096 where bytes[page * 4096] == 10 {
      bytes[page * 4096 + 1] ^= 0x40
    }
    TemporaryHome.write(bytes, to: home.store + "/store.db")
    let broken = try await home.open()
    #expect(try broken.keys().count == 40)
    var refused: Set<String> = []
    for key in (0..<40).map({ "key \($0)" }) + ["new"] {
      do {
        try await broken.set(String(repeating: "y", count: 900), forKey: key)
      } catch {
        refused.insert(key)
        #expect(error.code == .damaged)
        #expect(error.advice.contains("store repair"))
      }
    }
    // A row that parts two leaves stands above them, where no free block is broken.
    #expect(refused.count > 30 && refused.contains("new"))
    // The store may stay open meanwhile.
    let repair = try await SecureStore.repair(storeAt: home.store, vault: vault())
    #expect(repair.lost == [])
    #expect(try broken.keys().count == 40)
    try await broken.set("new", forKey: "new")
    try await broken.remove("key 1")
    #expect(try broken.string(forKey: "new") == "new")
  }

  @Test func `another process that has the store open goes on with what was kept`() async throws {
    let sample = try await RepairSample.make(entries: 40)
    sample.restore(home)
    let other = try await OtherProcess.open(home)
    #expect(try other.string(forKey: "key 1") == sample.values["key 1"])
    var bytes = sample.database
    for place in [18, 19, 40, 52] { bytes[place] ^= 0xFF }
    TemporaryHome.overwrite(home.store + "/store.db", with: bytes)
    let repair = try await SecureStore.repair(storeAt: home.store, vault: vault())
    #expect(repair.lost == [])
    _ = try? other.string(forKey: "key 3")
    #expect(try other.string(forKey: "key 3") == sample.values["key 3"])
    try? await other.set("newer", forKey: "new")
    try await other.set("newer", forKey: "new")
    #expect(try await home.open().string(forKey: "new") == "newer")
  }

  @Test func `without a copy nothing is done`() async throws {
    // A name beside the store would be too long.
    let long = home.path + "/" + String(repeating: "s", count: 240)
    let store = try await SecureStore.open(at: long, vault: FileVault(path: long + "/store.key"))
    try await store.set("blue", forKey: "colour")
    store.close()
    var bytes = TemporaryHome.bytes(of: long + "/store.db")
    bytes[52] ^= 0xFF
    bytes[100] ^= 0xFF
    TemporaryHome.write(bytes, to: long + "/store.db")
    await expect(.io) {
      _ = try await SecureStore.repair(storeAt: long, vault: FileVault(path: long + "/store.key"))
    }
    #expect(TemporaryHome.bytes(of: long + "/store.db") == bytes)
    #expect(TemporaryHome.names(in: home.path).count == 1)
  }

  @Test func `beyond repair is said, and nothing is changed`() async throws {
    let sample = try await RepairSample.make(entries: 3)
    let zeros = [UInt8](repeating: 0, count: sample.database.count)
    sample.restore(home, ["store.db": zeros])
    await expect(.damaged) {
      _ = try await SecureStore.repair(storeAt: home.store, vault: vault())
    }
    #expect(TemporaryHome.bytes(of: home.store + "/store.db") == zeros)
    let foreign = try await RepairSample.make(entries: 3)
    var bytes = sample.database
    bytes[100] ^= 0xFF
    sample.restore(home, ["store.db": bytes, "store.key": foreign.contents["store.key"]])
    await expect(.wrongKey) {
      _ = try await SecureStore.repair(storeAt: home.store, vault: vault())
    }
    #expect(TemporaryHome.names(in: home.path) == ["store"])
  }

  @Test func `a session that was signed out of without a key stays signed out`() async throws {
    let sample = try await RepairSample.make(entries: 40)
    sample.restore(home)
    try await SecureSessionStorage.wipe(storeAt: home.store, reason: .userRequested)
    let path = home.store + "/store.db"
    var bytes = TemporaryHome.bytes(of: path)
    bytes[52] ^= 0xFF
    TemporaryHome.write(bytes, to: path)
    let repair = try await SecureStore.repair(storeAt: home.store, vault: vault())
    #expect(repair.aside != nil && repair.lost == [])
    let record = try await SecureSessionStorage(store: home.open()).record()
    #expect(record.authInfo == nil && record.signOutReason == .userRequested)
  }

  @Test func `a store that is older than its vault's counter is not made to look new`()
    async throws
  {
    let vault = InMemoryCountingVault()
    let open = { [home] in try await SecureStore.open(at: home.store, vault: vault) }
    let store = try await open()
    try await store.set("old", forKey: "a")
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let old = TemporaryHome.bytes(of: home.store + "/store.db")
    let again = try await open()
    try await SecureSessionStorage(store: again).wipe(reason: .userRequested)
    again.close()
    var bytes = TemporaryHome.bytes(of: home.store + "/store.db")
    bytes[52] ^= 0xFF
    TemporaryHome.write(bytes, to: home.store + "/store.db")
    #expect(try await SecureStore.repair(storeAt: home.store, vault: vault).lost == [])
    #expect(try await open().string(forKey: "a") == "old")
    TemporaryHome.write(old, to: home.store + "/store.db")
    await expect(.tampered) {
      _ = try await SecureStore.repair(storeAt: home.store, vault: vault)
    }
  }
}

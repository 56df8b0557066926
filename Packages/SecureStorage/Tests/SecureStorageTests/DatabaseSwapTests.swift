import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A crash at any moment of putting another database in place leaves the old one or the new one.
@Suite struct DatabaseSwapTests {
  private let home = TemporaryHome()
  private var database: String { home.store + "/store.db" }

  /// An old store, whose last commit is in its log, and the bytes of a new one with the same key.
  private func stores() async throws -> [UInt8] {
    let store = try await home.open()
    try await store.set("new", forKey: "state")
    store.close()
    let new = TemporaryHome.bytes(of: database)
    let again = try await home.open()
    try await again.set("old", forKey: "state")
    let files = RepairSample.files.map { TemporaryHome.bytes(of: home.store + "/" + $0) }
    // Closing it would empty the log.
    again.close()
    for (name, bytes) in zip(RepairSample.files, files) {
      TemporaryHome.write(bytes, to: home.store + "/" + name)
    }
    return new
  }

  private func state() async throws -> String? {
    // The new one's number is lower here, which only a real repair sees to.
    home.remove("store.generation")
    let store = try await home.open()
    defer { store.close() }
    return try store.string(forKey: "state")
  }

  @Test func `a draft that was cut short is cleared away at the next open`() async throws {
    let new = try await stores()
    TemporaryHome.write(Array(new.prefix(3000)), to: database + ".new")
    #expect(try await state() == "old")
    #expect(!TemporaryHome.names(in: home.store).contains("store.db.new"))
  }

  @Test(arguments: [[], ["store.db-wal"], ["store.db-wal", "store.db-shm"]])
  func `one that is whole takes its place, however far the rest had come`(gone: [String])
    async throws
  {
    let new = try await stores()
    TemporaryHome.write(new, to: database + ".whole")
    for name in gone { home.remove(name) }
    #expect(try await state() == "new")
    #expect(!TemporaryHome.names(in: home.store).contains("store.db.whole"))
  }

  @Test func `a process that has the old one open does not write into it`() async throws {
    let store = try await home.open()
    try await store.set("before", forKey: "state")
    let other = try await OtherProcess.open(home)
    #expect(try other.string(forKey: "state") == "before")
    // As a process leaves it that is killed between its decision and its last step.
    let generations = try GenerationFile(path: home.store + "/store.generation")
    generations.beginCommit(after: GenerationFile.generation(of: generations.stamp))
    let engine = try #require(store.engine as? SQLiteEngine)
    let root = try #require(try FileVault(path: home.keyFile).rootKey())
    let image = try engine.withoutConnections { () throws(StorageError) in
      let files = [engine.files.database, engine.files.log]
      return try RecoveredStore(
        OldFiles(files).rows(engine.files),
        root: root,
        vault: .file,
        durable: 0,
        options: StoreOptions()
      )
      .image(generation: 100)
    }
    TemporaryHome.write(image, to: database + ".whole")
    try await other.set("written by the other", forKey: "another")
    #expect(!TemporaryHome.names(in: home.store).contains("store.db.whole"))
    let fresh = try await OtherProcess.open(home)
    #expect(try fresh.string(forKey: "another") == "written by the other")
    #expect(try fresh.string(forKey: "state") == "before")
    #expect(try fresh.engine.read { reader throws(StorageError) in reader.generation } == 101)
    #expect(try store.string(forKey: "another") == "written by the other")
  }
}

import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

/// A writer moves no mark of the log's readers, and neither it nor they read anything else for it.
@Suite struct MarkKeepingTests {
  /// Which of some locks are refused, one after the other.
  private func refused(_ marks: inout MarkKeeping, _ slots: Range<Int>) -> [Int] {
    slots.filter { marks.refuses(slot: $0) }
  }

  @Test func `each mark is refused once while a writer begins`() {
    var marks = MarkKeeping()
    #expect(refused(&marks, 0..<8) == [])
    marks.begin()
    #expect(refused(&marks, 4..<8) == [4, 5, 6, 7])
    // There was none to stand at.
    #expect(refused(&marks, 4..<8) == [])
    marks.begin()
    marks.end()
    #expect(refused(&marks, 4..<8) == [])
  }

  @Test(arguments: 0..<4) func `who takes another lock first sets the marks`(slot: Int) {
    var marks = MarkKeeping()
    marks.begin()
    #expect(refused(&marks, slot..<slot + 1) == [])
    #expect(refused(&marks, 4..<8) == [])
  }

  /// How many frames the log has, and the first mark that moves, as they lie in the shared memory.
  private func log(_ home: TemporaryHome) -> (frames: UInt32, mark: UInt32) {
    let bytes = TemporaryHome.bytes(of: home.store + "/store.db-shm")
    return bytes.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self),
        bytes.loadUnaligned(fromByteOffset: 104, as: UInt32.self)
      )
    }
  }

  @Test(arguments: [Durability.full, .normal])
  func `commits leave the marks where they are`(durability: Durability) async throws {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(durability: durability))
    defer { store.close() }
    try await store.set("0", forKey: "a")
    let before = log(home)
    for index in 1...5 { try await store.set("\(index)", forKey: "a") }
    let after = log(home)
    #expect(after.frames > before.frames + 4)
    #expect(after.mark == before.mark)
    #expect(try store.string(forKey: "a") == "5")
  }

  @Test func `a reader keeps its state through commits and checkpoints of writers at older marks`()
    async throws
  {
    let home = TemporaryHome()
    let store = try await home.open()
    try await store.set("first", forKey: "a")
    store.close()
    let files = try StoreFiles(directory: home.store).resolved()
    let writer = try SQLiteConnection(path: files.database, synchronous: .full)
    let reader = try SQLiteConnection(path: files.database, synchronous: nil)
    let generation = RowName.generation
    func stored(_ connection: SQLiteConnection) throws -> [UInt8] {
      var row: [UInt8] = []
      try connection.run(.select, space: generation.space, name: generation.bytes) {
        row = SQLiteConnection.blob($0)
      }
      return row
    }
    func write(_ byte: UInt8) throws {
      try writer.beginWriting()
      let row = [UInt8](repeating: byte, count: 24)
      try writer.run(.update, space: generation.space, name: generation.bytes, value: row)
      try writer.run(.commit)
    }
    try write(1)
    try reader.run(.begin)
    let seen = try stored(reader)
    #expect(seen == [UInt8](repeating: 1, count: 24))
    for byte: UInt8 in 2...4 {
      try write(byte)
      #expect(try !writer.checkpoint(truncating: true))
      #expect(try stored(reader) == seen)
    }
    try reader.run(.commit)
    #expect(try writer.checkpoint(truncating: true))
    #expect(try stored(reader) == [UInt8](repeating: 4, count: 24))
    // From the beginning of a log that was emptied.
    try write(5)
    #expect(try stored(reader) == [UInt8](repeating: 5, count: 24))
    reader.close()
    writer.close()
  }
}

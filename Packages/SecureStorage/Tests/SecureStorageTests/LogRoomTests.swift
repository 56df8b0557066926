import SessionModels
import Testing

@testable import SecureStorage

/// Room is made in the log for several commits at once, so that most of them change no file's
/// length.
@Suite struct LogRoomTests {
  @Test(arguments: [
    (8272, 16_384), (16_384, 16_384), (20_000, 20_000), (65_536, 65_536), (3_000_000, 65_536),
  ])
  func `as much is added as there is, within bounds`(end: Int64, count: Int) {
    var room = LogRoom()
    room.synced()
    #expect(room.zeros(behind: end) { end } == count)
  }

  @Test func `nothing is added where there is room, and the length is asked for once`() {
    var room = LogRoom()
    var questions = 0
    for end in stride(from: Int64(10_000), through: 90_000, by: 10_000) {
      room.synced()
      let zeros = room.zeros(behind: end) {
        questions += 1
        return 90_000
      }
      #expect(zeros == 0)
    }
    #expect(questions == 1)
    room.synced()
    #expect(room.zeros(behind: 100_000) { 100_000 } == Int(LogRoom.most))
  }

  @Test func `nothing is added behind commits that are not synced`() {
    var room = LogRoom()
    #expect(room.zeros(behind: 10_000) { 10_000 } == 0)
    room.synced()
    #expect(room.zeros(behind: 20_000) { 20_000 } > 0)
    #expect(room.zeros(behind: 90_000) { 90_000 } == 0)
  }

  @Test func `the length is asked for again where somebody may have changed it`() {
    var room = LogRoom()
    room.synced()
    #expect(room.zeros(behind: 10_000) { 50_000 } == 0)
    room.forget()
    room.synced()
    #expect(room.zeros(behind: 20_000) { 20_000 } == 20_000)
  }

  @Test func `nothing is added to a file whose length is not known`() {
    var room = LogRoom()
    room.synced()
    #expect(room.zeros(behind: 10_000) { nil } == 0)
  }

  /// The lengths that a log has after each of some commits, and its last bytes.
  private func log(
    after commits: Int,
    _ durability: Durability
  ) async throws -> (lengths: [Int], bytes: [UInt8]) {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(durability: durability))
    defer { store.close() }
    var (lengths, bytes) = ([Int](), [UInt8]())
    for index in 0..<commits {
      try await store.set("\(index)", forKey: "a")
      bytes = TemporaryHome.bytes(of: home.store + "/store.db-wal")
      lengths.append(bytes.count)
    }
    return (lengths, bytes)
  }

  @Test func `most commits do not make the log longer, which ends in zeros`() async throws {
    let (lengths, bytes) = try await log(after: 100, .full)
    #expect(lengths == lengths.sorted())
    #expect(Set(lengths).count < 20)
    let end = LogFile.end(of: bytes)
    #expect(end < bytes.count && bytes.count - end <= Int(LogRoom.most))
    #expect(bytes[end...].allSatisfy { $0 == 0 })
  }

  @Test func `a log whose commits are not synced is as long as it must be`() async throws {
    let (lengths, bytes) = try await log(after: 100, .normal)
    #expect(Set(lengths).count > 90)
    #expect(LogFile.end(of: bytes) == bytes.count)
  }

  @Test func `a log that another process has emptied and begun anew gets room again`() async throws
  {
    let home = TemporaryHome()
    let mine = try await home.open()
    let theirs = try await OtherProcess.open(home)
    for index in 0..<20 { try await mine.set("\(index)", forKey: "a") }
    // Overwrites what was removed, in the log too.
    try await theirs.remove("a")
    #expect(TemporaryHome.bytes(of: home.store + "/store.db-wal") == [])
    try await theirs.set("1", forKey: "b")
    var lengths: Set<Int> = []
    for index in 0..<20 {
      try await mine.set("\(index)", forKey: "c")
      lengths.insert(TemporaryHome.bytes(of: home.store + "/store.db-wal").count)
    }
    #expect(lengths.count < 10)
    #expect(try theirs.string(forKey: "c") == "19")
  }
}

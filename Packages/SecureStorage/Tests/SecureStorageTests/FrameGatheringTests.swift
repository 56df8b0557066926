import SecureStorageTesting
import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A commit reaches the log in one write, and nothing of a transaction that was given up does so
/// behind what others commit.
@Suite struct FrameGatheringTests {
  private typealias Held = FrameGathering.Held

  private static let page = 4096
  private static let frame = Int64(24 + page)

  private func header(commits: Bool = false) -> [UInt8] {
    var header = [UInt8](repeating: 7, count: 24)
    for index in 4..<8 { header[index] = 0 }
    if commits { header[7] = 4 }
    return header
  }

  /// What is done with each of some writes.
  private func steps(
    _ gathering: inout FrameGathering,
    _ writes: [(bytes: [UInt8], offset: Int64)]
  ) -> [FrameGathering.Step] {
    writes.map { write in
      let step = write.bytes.withUnsafeBytes { gathering.step($0, at: write.offset) }
      if step != .hold { gathering.wrote() }
      return step
    }
  }

  /// A gathering that knows where the log ends: behind its first frame.
  private func started() -> FrameGathering {
    var gathering = FrameGathering()
    let steps = steps(
      &gathering,
      [([UInt8](repeating: 1, count: 32), 0), (header(commits: true), 32), (content, 56)]
    )
    #expect(steps == [.write, .hold, .holdAndWrite])
    return gathering
  }

  private var content: [UInt8] { [UInt8](repeating: 9, count: Self.page) }
  private let end = 32 + frame

  @Test func `frames are held until the one that ends the commit`() {
    var gathering = started()
    let second = end + Self.frame
    let before = steps(&gathering, [(header(), end), (content, end + 24)])
    #expect(before == [.hold, .hold])
    #expect(gathering.held == Held(offset: end, count: Int(Self.frame)))
    let last = steps(&gathering, [(header(commits: true), second)])
    #expect(last == [.hold])
    #expect(gathering.held == Held(offset: end, count: Int(Self.frame) + 24))
    #expect(steps(&gathering, [(content, second + 24)]) == [.holdAndWrite])
    #expect(gathering.held.count == 0)
  }

  @Test func `a log that another process may have changed is written to straight away`() {
    var gathering = FrameGathering()
    #expect(steps(&gathering, [(header(), 8272), (content, 8296)]) == [.write, .write])
    // And from then on its end is known, until another process has added to it.
    let end: Int64 = 8296 + Int64(Self.page)
    #expect(steps(&gathering, [(header(commits: true), end)]) == [.hold])
    #expect(steps(&gathering, [(content, end + 24)]) == [.holdAndWrite])
    let beyond = end + 5 * Self.frame
    #expect(steps(&gathering, [(header(commits: true), beyond)]) == [.write])
    #expect(steps(&gathering, [(content, beyond + 24)]) == [.write])
  }

  @Test func `a header that is mended in its place is written, as no page follows it`() {
    var gathering = started()
    #expect(steps(&gathering, [(header(commits: true), 32)]) == [.write])
    #expect(steps(&gathering, [(header(), end), (content, end + 24)]) == [.hold, .hold])
    #expect(steps(&gathering, [(header(), 32)]) == [.write])
    #expect(gathering.held.count == 0)
    #expect(steps(&gathering, [(content, 56)]) == [.write])
  }

  @Test func `no more is held than there is room for`() {
    var gathering = started()
    var offset = end
    var most = 0
    for _ in 0..<100 {
      _ = steps(&gathering, [(header(), offset), (content, offset + 24)])
      most = max(most, gathering.held.count)
      offset += Self.frame
    }
    #expect(most > FrameGathering.capacity - Int(Self.frame))
    #expect(most <= FrameGathering.capacity)
  }

  @Test func `what is dropped is not written with what follows`() {
    var gathering = started()
    _ = steps(&gathering, [(header(), end), (content, end + 24)])
    gathering.drop()
    #expect(gathering.held.count == 0)
    #expect(steps(&gathering, [(header(commits: true), end)]) == [.write])
    #expect(steps(&gathering, [(content, end + 24)]) == [.write])
  }

  @Test func `what did not fit into memory and was given up does not reach the log afterwards`()
    async throws
  {
    let home = TemporaryHome()
    let mine = try await home.open()
    let theirs = try await OtherProcess.open(home)
    try await mine.set("0", forKey: "a")
    let text = String(repeating: "x", count: 1000)
    for round in 1...3 {
      // More than is kept in memory: pages are written to the log in the middle.
      await expect(.busy) {
        try await mine.transaction { transaction throws(StorageError) in
          for index in 0..<4000 { try transaction.set(text, forKey: "key \(index)") }
          throw StorageError(.busy, "given up", advice: "")
        }
      }
      // In the place where those pages lay or would have lain.
      try await theirs.set("\(round)", forKey: "a")
      try await theirs.set(text, forKey: "b")
      #expect(try mine.string(forKey: "a") == "\(round)")
      try await mine.set("\(round)", forKey: "c")
    }
    let verified = try await mine.verify()
    #expect(verified == StoreVerification(verified: 3, damaged: []))
  }
}

import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The bell in the small file beside a database.
@Suite struct GenerationFileTests {
  private let home = TemporaryHome()
  private var path: String { home.path + "/generation" }

  /// Whether the bell was rung since it was asked last.
  private func hasRung() -> Bool {
    let file = open(path, O_RDWR)
    defer { close(file) }
    var bell: UInt8 = 0
    pread(file, &bell, 1, 64)
    var silence: UInt8 = 0
    pwrite(file, &silence, 1, 64)
    return bell != 0
  }

  @Test func `a commit rings once for whoever asked, and not where nobody did`() throws {
    let (writer, other) = (try GenerationFile(path: path), try GenerationFile(path: path))
    let watcher = try GenerationFile(path: path)
    writer.endCommit(1)
    #expect(!hasRung())
    watcher.listen()
    #expect(!hasRung())
    writer.endCommit(2)
    #expect(hasRung())
    other.endCommit(3)
    writer.endCommit(4)
    #expect(!hasRung())
    watcher.listen()
    watcher.listen()
    other.endCommit(5)
    #expect(hasRung())
    writer.endCommit(6)
    #expect(!hasRung())
  }

  @Test func `a store that is set aside tells all who have it open, asked or not`() throws {
    let writer = try GenerationFile(path: path)
    writer.set(GenerationFile.retired)
    #expect(hasRung())
  }
}

import AuthNetworking
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// R1 across processes: the lock file.
struct FlockRefreshLockTests {
  private static func withDirectory(
    _ body: (String) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.path + "/lock-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
  }

  @Test func `R1: who comes second waits, and gets it when the first lets go`() async throws {
    try await FlockRefreshLockTests.withDirectory { directory in
      let first = FlockRefreshLock(path: directory + "/refresh.lock")
      let second = FlockRefreshLock(path: directory + "/refresh.lock")
      let held = try await first.acquire(timeout: .zero)
      await #expect(throws: RefreshLockError.self) { try await second.acquire(timeout: .zero) }
      let waiting = Task { try await second.acquire(timeout: .seconds(60)) }
      held.release()
      held.release()
      try await waiting.value.release()
    }
  }

  @Test func `a lock that is dropped is free`() async throws {
    try await FlockRefreshLockTests.withDirectory { directory in
      let lock = FlockRefreshLock(path: directory + "/refresh.lock")
      _ = try await lock.acquire(timeout: .zero)
      try await lock.acquire(timeout: .zero).release()
    }
  }

  @Test(arguments: [false, true])
  func `a lock that is let go is free, though a child that is being started has its file as well`(
    isDropped: Bool
  ) async throws {
    try await FlockRefreshLockTests.withDirectory { directory in
      let lock = FlockRefreshLock(path: directory + "/refresh.lock")
      var held: (any HeldRefreshLock)? = try await lock.acquire(timeout: .zero)
      let copies = try FlockRefreshLockTests.copies(of: lock.path)
      defer { for copy in copies { close(copy) } }
      #expect(copies.count == 1)
      if !isDropped { held?.release() }
      held = nil
      try await lock.acquire(timeout: .zero).release()
    }
  }

  /// The file as a child has it between its start and its exec: open under other numbers.
  private static func copies(of path: String) throws -> [Int32] {
    var (file, other) = (stat(), stat())
    try #require(stat(path, &file) == 0)
    let open = (Int32(0)..<1024).filter { descriptor in
      fstat(descriptor, &other) == 0 && other.st_ino == file.st_ino && other.st_dev == file.st_dev
    }
    return open.map { dup($0) }
  }

  @Test func `the file is for its owner only`() async throws {
    try await FlockRefreshLockTests.withDirectory { directory in
      let lock = FlockRefreshLock(path: directory + "/refresh.lock")
      try await lock.acquire(timeout: .zero).release()
      let attributes = try FileManager.default.attributesOfItem(atPath: lock.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a symbolic link and a missing directory are refused`() async throws {
    try await FlockRefreshLockTests.withDirectory { directory in
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/link",
        withDestinationPath: directory + "/target"
      )
      for path in [directory + "/link", directory + "/missing/refresh.lock", directory] {
        let error = await #expect(throws: RefreshLockError.self) {
          try await FlockRefreshLock(path: path).acquire(timeout: .zero)
        }
        #expect(error?.code == .unusable)
      }
      #expect(!FileManager.default.fileExists(atPath: directory + "/target"))
    }
  }

  @Test func `R10: a cancelled wait ends at once`() async throws {
    try await FlockRefreshLockTests.withDirectory { directory in
      let lock = FlockRefreshLock(path: directory + "/refresh.lock")
      let held = try await lock.acquire(timeout: .zero)
      let waiting = Task { try await lock.acquire(timeout: .seconds(600)) }
      waiting.cancel()
      let error = await #expect(throws: RefreshLockError.self) { try await waiting.value }
      #expect(error?.code == .cancelled)
      held.release()
    }
  }

  @Test func `a lock on a file that was removed keeps nobody out, and is not given out`()
    async throws
  {
    try await FlockRefreshLockTests.withDirectory { directory in
      let lock = FlockRefreshLock(path: directory + "/refresh.lock")
      let old = try await lock.acquire(timeout: .zero)
      try FileManager.default.removeItem(atPath: lock.path)
      let new = try await lock.acquire(timeout: .zero)
      await #expect(throws: RefreshLockError.self) { try await lock.acquire(timeout: .zero) }
      old.release()
      await #expect(throws: RefreshLockError.self) { try await lock.acquire(timeout: .zero) }
      new.release()
    }
  }
}

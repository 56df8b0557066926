import SessionModels
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What is no file stands in the place of one, or the disk takes no more: every call says what it is
/// and what to do.
@Suite struct ObstacleTests {
  /// What may stand there.
  enum Kind: String, CaseIterable, Sendable {
    case directory = "a directory"
    case pipe = "a pipe"
    case link = "a symbolic link"

    func make(_ path: String) {
      switch self {
      case .directory: mkdir(path, 0o700)
      case .pipe: mkfifo(path, 0o600)
      case .link: symlink("/nowhere", path)
      }
    }
  }

  private let home = TemporaryHome()

  @Test(arguments: Kind.allCases, ["store.db", "store.db-wal"])
  func `open and repair name it`(kind: Kind, file: String) async throws {
    let store = try await home.open()
    try await store.set("1", forKey: "a")
    store.close()
    home.remove(file)
    kind.make(home.store + "/" + file)
    let (vault, path) = (FileVault(path: home.keyFile), home.store)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await SecureStore.open(at: path, vault: vault) },
      { _ = try await SecureStore.repair(storeAt: path, vault: vault) },
    ]
    for call in calls {
      let error = await #expect(throws: StorageError.self) { try await call() }
      #expect(error?.code == .io)
      let message = error?.message ?? ""
      #expect(message.contains("\(file) is \(kind.rawValue)"))
      #expect(error?.advice.contains("in its place") == true)
    }
  }

  @Test(arguments: [
    (ENOSPC, DiskFault.full), (EDQUOT, .full), (EFBIG, .fileLimit), (EROFS, .readOnly),
    (EACCES, .forbidden), (EPERM, .forbidden), (ELOOP, .isLink), (EIO, nil), (0, nil),
  ])
  func `a fault of the disk is told by the system's error`(code: Int32, fault: DiskFault?) {
    #expect(DiskFault(code) == fault)
    guard let fault else { return }
    let error = fault.error("cannot write to x")
    #expect(error.code == .io)
    #expect(error.message.hasPrefix("cannot write to x: "))
    #expect(error.advice == fault.advice + " Nothing was changed.")
  }
}

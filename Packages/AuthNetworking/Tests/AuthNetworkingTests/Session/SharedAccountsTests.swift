import AuthNetworking
import AuthNetworkingTesting
import Foundation
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Accounts that somebody else removes, and maybe makes anew, while we hold them.
struct SharedAccountsTests {
  /// Who else is at the same accounts.
  enum Other: CaseIterable {
    case inMemory
    /// Another object of this process, which shares the open store and closes it.
    case sameProcess
    /// Another process: the directory is another one, and our store is open all the same.
    case otherProcess
  }

  /// Two objects on one place, and how the second one removes an account.
  private final class Place {
    let harness = SessionHarness(signedIn: false)
    let ours: SessionAccounts
    let theirs: SessionAccounts
    let homes: any AccountHomes
    private let folder = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID())")
    private let other: Other

    init(_ other: Other) throws {
      self.other = other
      let path = folder.path
      let (first, second): (any AccountHomes, any AccountHomes)
      if other == .inMemory {
        let homes = InMemoryAccountHomes { InMemorySessionStorage() }
        (first, second) = (homes, homes.sibling())
      } else {
        let homes = (0..<2).map { _ in
          DirectoryAccountHomes(directory: path) { FileVault(path: $0 + "/store.key") }
        }
        (first, second) = (homes[0], homes[1])
      }
      homes = second
      ours = try harness.accounts(first)
      theirs = try harness.accounts(second)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func removeElsewhere(_ name: AccountName) async throws {
      guard other == .otherProcess else {
        try await theirs.remove(name)
        return
      }
      // Moved and not removed: one process would take a directory of the same number for this one.
      try FileManager.default.moveItem(
        at: folder.appending(path: name.rawValue),
        to: folder.appending(path: ".gone")
      )
      try await homes.setActive(nil)
    }
  }

  private let work: AccountName

  init() throws { work = try #require(AccountName(rawValue: "work")) }

  @Test(arguments: Other.allCases)
  func `R4: removing signs out who is stored by then, and only then removes`(
    other: Other
  ) async throws {
    let place = try Place(other)
    try await place.ours.activate(work)
    try await place.removeElsewhere(work)
    try await place.theirs.activate(work).signIn(as: RotatingServer.otherEmail)
    #expect(place.harness.server.livingSessions == 1)
    #expect(try await place.ours.remove(work).revoked)
    #expect(place.harness.server.livingSessions == 0)
    #expect(try place.homes.names().isEmpty)
    #expect(place.ours.active == .none)
    #expect(try await place.theirs.accounts().isEmpty)
    #expect(place.theirs.active == .none)
  }

  @Test(arguments: Other.allCases)
  func `R13: an account that was made anew elsewhere gets a controller that lives`(
    other: Other
  ) async throws {
    let place = try Place(other)
    let former = try await place.ours.activate(work)
    var states = place.ours.states().makeAsyncIterator()
    #expect(await states.next() == ActiveAccount(name: work, state: .signedOut(.never)))
    try await place.removeElsewhere(work)
    try await place.theirs.activate(work).signIn(as: RotatingServer.otherEmail)
    #expect(try await place.ours.accounts().map(\.userID) == [UserID("user-2")])
    let controller = try await place.ours.controller(of: work)
    #expect(controller !== former)
    #expect(try await controller.get().status == 200)
    #expect(try await place.ours.controller(of: work) === controller)
    #expect(try await place.ours.activate(work) === controller)
    let present = ActiveAccount(name: work, state: .signedIn(.fresh))
    #expect(place.ours.active == present)
    while let next = await states.next(), next != .none {}
    #expect(await states.next() == present)
  }

  @Test(arguments: Other.allCases)
  func `an account that was removed elsewhere is no longer active, and can be made anew`(
    other: Other
  ) async throws {
    let place = try Place(other)
    let former = try await place.ours.activate(work)
    try await place.removeElsewhere(work)
    #expect(try await place.ours.accounts().isEmpty)
    #expect(place.ours.active == .none)
    #expect(try await place.ours.restoreActive() == nil)
    #expect(try await !place.ours.remove(work).revoked)
    let controller = try await place.ours.activate(work)
    #expect(controller !== former)
    try await controller.signIn()
    #expect(try await place.theirs.accounts().map(\.userID) == [UserID("user-1")])
  }

  @Test(arguments: Other.allCases)
  func `asking for an account that was removed elsewhere makes it anew, at once`(
    other: Other
  ) async throws {
    let place = try Place(other)
    try await place.ours.activate(work)
    try await place.removeElsewhere(work)
    try await place.ours.controller(of: work).signIn()
    var states = place.ours.states().makeAsyncIterator()
    while let next = await states.next(), next.state != .signedIn(.fresh) {}
    #expect(place.ours.active == ActiveAccount(name: work, state: .signedIn(.fresh)))
  }

  @Test(arguments: [Other.inMemory, .sameProcess])
  func `R4: who signs in while an account is being signed out is signed out, too`(
    other: Other
  ) async throws {
    let place = try Place(other)
    let server = place.harness.server
    try await place.ours.activate(work).signIn()
    // The account's session is gone here, and the server has just been told; nobody is done yet.
    place.harness.afterRequest.shut()
    let removal = Task { try await place.ours.remove(work) }
    await place.harness.afterRequest.arrival()
    #expect(server.livingSessions == 0)
    let info = server.signIn(baseURL: SessionHarness.baseURL, deviceID: SessionHarness.deviceID)
    try await place.homes.open(work).storage.update { record in
      #expect(record.authInfo == nil)
      return SessionRecord(
        generation: record.generation + 1,
        authInfo: info,
        signOutReason: record.signOutReason
      )
    }
    place.harness.afterRequest.open()
    #expect(try await removal.value.revoked)
    #expect(server.livingSessions == 0)
    #expect(try place.homes.names().isEmpty)
  }

  @Test(arguments: [false, true])
  func `the vault of an account that is removed forgets its key, unless it is locked`(
    isLocked: Bool
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let home = try #require(AccountName(rawValue: "home"))
    let vaults = [work: InMemoryVault(), home: InMemoryVault()]
    let homes = DirectoryAccountHomes(directory: folder) { path in
      let name = URL(filePath: path).deletingLastPathComponent().lastPathComponent
      return AccountName(rawValue: name).flatMap { vaults[$0] } ?? InMemoryVault()
    }
    defer { homes.close() }
    let accounts = try SessionHarness(signedIn: false).accounts(homes)
    for name in [work, home] { try await accounts.activate(name).signIn() }
    if isLocked { vaults[work]?.fail(with: SessionHarness.locked) }
    #expect(try await accounts.remove(work).revoked)
    #expect(try homes.names() == [home])
    vaults[work]?.fail(with: nil)
    #expect(try (vaults[work]?.rootKey() == nil) == !isLocked)
    #expect(try vaults[home]?.rootKey() != nil)
  }
}

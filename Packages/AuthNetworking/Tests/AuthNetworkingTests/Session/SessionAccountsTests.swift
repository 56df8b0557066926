import AuthNetworking
import AuthNetworkingTesting
import Foundation
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// Several accounts side by side, one active.
struct SessionAccountsTests {
  private let harness = SessionHarness(signedIn: false)
  private let homes = InMemoryAccountHomes { InMemorySessionStorage() }
  private let work: AccountName
  private let home: AccountName

  init() throws {
    work = try #require(AccountName(rawValue: "work"))
    home = try #require(AccountName(rawValue: "home"))
  }

  private func accounts(_ homes: (any AccountHomes)? = nil) throws -> SessionAccounts {
    try harness.accounts(homes ?? self.homes.sibling())
  }

  /// Ada at work, and Grace at home, who is active.
  private func two(_ homes: (any AccountHomes)? = nil) async throws -> SessionAccounts {
    let accounts = try accounts(homes)
    try await accounts.activate(work).signIn()
    try await accounts.activate(home).signIn(as: RotatingServer.otherEmail)
    return accounts
  }

  @Test func `each has its own session, and the list shows no secret`() async throws {
    let accounts = try await two()
    let list = try await accounts.accounts()
    #expect(list.map(\.name) == [home, work])
    #expect(list.map(\.userID) == [UserID("user-2"), UserID("user-1")])
    #expect(list.map(\.isActive) == [true, false])
    var text = ""
    dump(list, to: &text)
    #expect(!text.contains("token"))
    for (name, user) in [(work, "user-1"), (home, "user-2")] {
      let answer = try await accounts.controller(of: name).get()
      #expect(String(decoding: answer.body, as: UTF8.self).contains(user))
    }
  }

  @Test func `an account has one controller, however often and by how many it is asked for`()
    async throws
  {
    let accounts = try accounts()
    let controllers = try await withThrowingTaskGroup(of: SessionController.self) { group in
      for _ in 0..<8 { group.addTask { try await accounts.controller(of: work) } }
      return try await group.reduce(into: [SessionController]()) { $0.append($1) }
    }
    #expect(controllers.allSatisfy { $0 === controllers[0] })
  }

  @Test func `the choice is kept`() async throws {
    _ = try await two().activate(work)
    let later = try accounts()
    #expect(later.active == .none)
    let controller = try #require(try await later.restoreActive())
    #expect(controller.authInfo?.session.userID == UserID("user-1"))
    #expect(later.active == ActiveAccount(name: work, state: .signedIn(.fresh)))
  }

  @Test func `R13: one stream tells the present first, each change, and each switch`()
    async throws
  {
    let accounts = try accounts()
    var states = accounts.states().makeAsyncIterator()
    #expect(await states.next() == ActiveAccount.none)
    let first = try await accounts.activate(work)
    #expect(await states.next() == ActiveAccount(name: work, state: .signedOut(.never)))
    try await first.signIn()
    #expect(await states.next() == ActiveAccount(name: work, state: .signedIn(.fresh)))
    try await accounts.activate(home)
    #expect(await states.next() == ActiveAccount(name: home, state: .signedOut(.never)))
    var late = accounts.states().makeAsyncIterator()
    #expect(await late.next() == accounts.active)
  }

  @Test func `R13: after a switch nothing of the account before is told`() async throws {
    let accounts = try await two()
    let former = try await accounts.controller(of: home)
    try await accounts.activate(work)
    var states = accounts.states().makeAsyncIterator()
    #expect(await states.next() == ActiveAccount(name: work, state: .signedIn(.fresh)))
    _ = await former.logout()
    _ = try await accounts.controller(of: work).logout()
    #expect(await states.next() == ActiveAccount(name: work, state: .signedOut(.userRequested)))
  }

  @Test func `R4: a late answer lands in its own account, whichever is active by then`()
    async throws
  {
    let accounts = try await two()
    let former = try await accounts.controller(of: home)
    harness.expireToken()
    harness.afterRefresh.shut()
    let request = Task { try await former.get() }
    await harness.afterRefresh.arrival()
    let present = try await accounts.activate(work)
    let before = present.authInfo
    harness.afterRefresh.open()
    let answer = try await request.value
    #expect(String(decoding: answer.body, as: UTF8.self).contains("user-2"))
    #expect(present.authInfo == before)
    #expect(former.authInfo?.session.userID == UserID("user-2"))
    #expect(harness.server.counts.reuses == 0)
  }

  @Test func `R1: each account refreshes by itself, without waiting for the other`() async throws {
    let accounts = try await two()
    harness.expireToken()
    harness.afterRefresh.shut()
    let requests = try await [work, home].asyncMap { name in
      let controller = try await accounts.controller(of: name)
      return Task { try await controller.get().status }
    }
    await harness.afterRefresh.arrival(2)
    harness.afterRefresh.open()
    for request in requests { #expect(try await request.value == 200) }
    #expect(harness.refreshRequests.count == 2)
  }

  @Test func `removing one signs it out, and leaves the other`() async throws {
    let accounts = try await two()
    var states = accounts.states().makeAsyncIterator()
    #expect(await states.next()?.name == home)
    #expect(try await accounts.remove(home).revoked)
    while let next = await states.next(), next.name != nil {}
    #expect(accounts.active == .none)
    #expect(try await accounts.accounts().map(\.name) == [work])
    #expect(try homes.active() == nil)
    #expect(harness.server.livingSessions == 1)
    #expect(try await accounts.controller(of: work).get().status == 200)
    // Of the same name, and somebody else's.
    #expect(try await accounts.activate(home).state == .signedOut(.never))
  }

  @Test func `R14: an account that cannot be opened is listed with the reason, and tried again`()
    async throws
  {
    _ = try await two()
    let later = try accounts()
    homes.fail(with: SessionHarness.locked)
    #expect(
      try await later.accounts().map(\.problem) == [SessionHarness.locked, SessionHarness.locked]
    )
    let error = await failure { () throws(AuthError) in try await later.activate(work) }
    #expect(error?.storageError == SessionHarness.locked)
    #expect(later.active == .none)
    homes.fail(with: nil)
    #expect(try await later.activate(work).state == .signedIn(.fresh))
  }

  @Test(arguments: ["", ".", "..", "a/b", "A", "ä", "a b", String(repeating: "a", count: 65)])
  func `a name that is no file name is none`(text: String) {
    #expect(AccountName(rawValue: text) == nil)
  }

  @Test func `on disk each has its own store and key, and nothing is left of one that is removed`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let homes = DirectoryAccountHomes(directory: folder) { FileVault(path: $0 + "/store.key") }
    defer { homes.close() }
    #expect(try homes.names().isEmpty)
    let accounts = try await two(homes)
    #expect(try homes.names() == [home, work])
    #expect(try homes.active() == home)
    let keys = [work, home].map {
      FileManager.default.contents(atPath: "\(folder)/\($0)/store/store.key")
    }
    #expect(keys[0] != nil && keys[0] != keys[1])
    try await accounts.remove(home)
    #expect(try homes.names() == [work])
    #expect(try homes.active() == nil)
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/home"))
    #expect(try await accounts.controller(of: work).get().status == 200)
  }
}

extension Array {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}

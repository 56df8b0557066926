import SecureStorageTesting
import Testing

@testable import SecureStorage

/// Two processes at once, of which one changes or moves the root key: at each step of it the other
/// one does all of its own work.
@Suite struct KeyMoveTests {
  /// What a process does with a store.
  enum Work: CaseIterable, Sendable {
    case move
    case moveElsewhere
    case rekey
    case write
    case read
    case open
  }

  private static let values = (0..<5).map { "key \($0)" }
  private static let second = VaultName(rawValue: "second")

  private let home = TemporaryHome()
  private let vaults: [any KeyVault]

  init() {
    vaults = [
      FileVault(path: home.keyFile), InMemoryVault(name: Self.second),
      InMemoryVault(name: VaultName(rawValue: "third")),
    ]
  }

  /// Another process, which does not wait for a lock that stands still with the test.
  private func open(
    _ gate: GatedVault.Gate? = nil,
    within deadline: Duration = .milliseconds(10)
  ) async throws(StorageError) -> SecureStore {
    let engine = try SQLiteEngine(directory: home.store, lockDeadline: deadline)
    let vaults = gated(gate)
    return try await SecureStore.open(engine: engine) { name throws(StorageError) in
      guard let vault = name == nil ? vaults.first : vaults.first(where: { $0.name == name })
      else { throw StorageError(.vaultUnavailable, "no such vault", advice: "") }
      return vault
    }
  }

  private func gated(_ gate: GatedVault.Gate?) -> [any KeyVault] {
    guard let gate else { return vaults }
    return vaults.map { GatedVault(inner: $0, gate: gate) }
  }

  private func fill() async throws {
    let store = try await open()
    for key in Self.values { try await store.set("value of " + key, forKey: key) }
    store.close()
  }

  private func perform(
    _ work: Work,
    _ store: SecureStore,
    _ gate: GatedVault.Gate? = nil
  ) async throws(StorageError) {
    switch work {
    case .move: _ = try await store.rekey(to: gated(gate)[1])
    case .moveElsewhere: _ = try await store.rekey(to: gated(gate)[2])
    case .rekey: _ = try await store.rekey()
    case .write: try await store.set("value of key 0", forKey: "key 0")
    case .read: _ = try store.keys()
    case .open: try check(try await open())
    }
  }

  private func check(_ store: SecureStore) throws(StorageError) {
    for key in Self.values {
      let value = try store.string(forKey: key)
      #expect(value == "value of " + key)
    }
  }

  /// Whatever happened: all is there, one vault has a key, and nobody needs advice.
  private func checkEnd() async throws {
    let store = try await open()
    try check(store)
    #expect(try await store.verify() == StoreVerification(verified: 5, damaged: []))
    for vault in vaults {
      #expect(try (vault.rootKey() != nil) == (vault.name == store.vaultName), "\(vault.name)")
    }
    // And it can be moved on, by whoever had it open all the time, too.
    _ = try await store.rekey(to: vaults[0])
    try check(store)
    try check(try await open())
  }

  private func intrude(_ work: Work, on first: Work, at step: Int) async throws {
    try await fill()
    let other = try await open()
    let theirs = Outcome()
    // Opening asks the vault once: two steps.
    let gate = GatedVault.Gate(at: step + 2) { [self] in
      waiting { await theirs.run { () throws(StorageError) in try await perform(work, other) } }
    }
    let store = try await open(gate)
    let mine = Outcome()
    await mine.run { () throws(StorageError) in try await perform(first, store, gate) }
    #expect(gate.wasReached)
    // Reading waits for nobody; everybody else may be told to try again, and nothing else.
    let isReading = work == .read || work == .open
    #expect(theirs.code == nil || (!isReading && theirs.code == .busy))
    #expect(mine.code == nil || mine.code == .busy)
    try check(store)
    try check(other)
    try await checkEnd()
  }

  @Test(arguments: Work.allCases, 1...10)
  func `whatever another process does during a move, nothing is lost`(
    work: Work,
    step: Int
  ) async throws { try await intrude(work, on: .move, at: step) }

  @Test(arguments: Work.allCases, 1...4)
  func `whatever another process does during a change of the root key, nothing is lost`(
    work: Work,
    step: Int
  ) async throws { try await intrude(work, on: .rekey, at: step) }

  @Test(arguments: [Work.move, .rekey], 1...2)
  func `who opens a store while its key is changed opens it all the same`(
    work: Work,
    step: Int
  ) async throws {
    try await fill()
    let other = try await open()
    let outcome = Outcome()
    let gate = GatedVault.Gate(at: step) { [self] in
      waiting { await outcome.run { () throws(StorageError) in try await perform(work, other) } }
    }
    try check(try await open(gate))
    #expect(gate.wasReached)
    #expect(outcome.code == nil)
    try await checkEnd()
  }

  @Test func `a store that is open finds its key where another process has moved it`() async throws
  {
    try await fill()
    let (reader, writer, mover) = (try await open(), try await open(), try await open())
    _ = try await mover.rekey(to: vaults[1])
    try check(reader)
    try await writer.set("new", forKey: "new")
    #expect(writer.vaultName == Self.second)
    #expect(try reader.string(forKey: "new") == "new")
    // One that was given a single vault can only say so, with the advice that helps.
    let engine = try SQLiteEngine(directory: home.store, lockDeadline: .milliseconds(10))
    let single = try await SecureStore.open(engine: engine, vault: vaults[1])
    _ = try await mover.rekey(to: vaults[2])
    await expect(.otherVault) { try single.string(forKey: "new") }
    await expect(.otherVault) { try await single.set("newer", forKey: "new") }
  }

  @Test(arguments: [2, 3, 4])
  func `of processes that move a store at the same time all or all but some busy ones succeed`(
    movers: Int
  ) async throws {
    try await fill()
    var stores: [SecureStore] = []
    for _ in 0..<movers { stores.append(try await open(within: .seconds(60))) }
    await withTaskGroup(of: StorageError.Code?.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          let outcome = Outcome()
          await outcome.run { () throws(StorageError) in
            try await perform(index == 3 ? .moveElsewhere : .move, store)
          }
          return outcome.code
        }
      }
      for await code in group { #expect(code == nil || code == .busy) }
    }
    for store in stores { try check(store) }
    try await checkEnd()
  }
}

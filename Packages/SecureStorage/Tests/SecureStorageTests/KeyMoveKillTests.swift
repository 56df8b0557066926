import SessionModels
import Synchronization
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What SIGKILL leaves at each step of a change or a move of the root key: the files as they are.
@Suite struct KeyMoveKillTests {
  private static let values = (0..<20).map { "key \($0)" }

  /// A home with a store, and the vaults in it.
  private struct Place: Sendable {
    let home: TemporaryHome
    var passphrase = "one"

    var file: FileVault { FileVault(path: home.keyFile) }

    var sealed: PassphraseVault {
      let passphrase = Secret(passphrase)
      return PassphraseVault(
        path: home.store + "/store.passphrase",
        cost: KeyDerivationCost(passes: 1, memory: 8192)
      ) { passphrase }
    }

    func vault(_ name: VaultName) -> any KeyVault { name == .passphrase ? sealed : file }

    func open(
      made initial: VaultName = .file,
      _ gate: GatedVault.Gate? = nil
    ) async throws -> SecureStore {
      let engine = try SQLiteEngine(directory: home.store, lockDeadline: .seconds(60))
      let place = self
      return try await SecureStore.open(engine: engine) { recorded in
        let vault = place.vault(recorded ?? initial)
        return gate.map { GatedVault(inner: vault, gate: $0) } ?? vault
      }
    }

    /// The files as they are now, as a process that is killed leaves them.
    func snapshot() -> Place {
      let copy = TemporaryHome()
      mkdir(copy.store, 0o700)
      for name in TemporaryHome.names(in: home.store) {
        let bytes = TemporaryHome.bytes(of: home.store + "/" + name)
        TemporaryHome.write(bytes, to: copy.store + "/" + name)
      }
      return Place(home: copy, passphrase: passphrase)
    }

    var names: [String] { TemporaryHome.names(in: home.store) }

    var everything: [UInt8] { names.flatMap { TemporaryHome.bytes(of: home.store + "/" + $0) } }
  }

  private func filled(_ vault: VaultName) async throws -> Place {
    let place = Place(home: TemporaryHome())
    let store = try await place.open(made: vault)
    for key in Self.values { try await store.set("value of " + key, forKey: key) }
    store.close()
    return place
  }

  private func check(_ store: SecureStore) async throws {
    for key in Self.values { #expect(try store.string(forKey: key) == "value of " + key) }
    #expect(try await store.verify().damaged == [])
  }

  private func keyset(_ store: SecureStore) throws -> [UInt8] {
    try #require(try store.engine.read { reader throws(StorageError) in try reader.row(.keyset) })
  }

  private func rootKey(_ place: Place, _ vault: VaultName) throws -> [UInt8] {
    try #require(try place.vault(vault).rootKey()).withBytes { Array($0) }
  }

  @Test(arguments: [(VaultName.file, VaultName.passphrase), (.passphrase, .file)], 1...10)
  func `what a killed move leaves is cleared away by the next open, and no old key comes back`(
    way: (from: VaultName, to: VaultName),
    step: Int
  ) async throws {
    let place = try await filled(way.from)
    let left = Mutex<Place?>(nil)
    let gate = GatedVault.Gate(at: step + 2) { left.withLock { $0 = place.snapshot() } }
    let moving = try await place.open(gate)
    let (oldKeyset, oldRoot) = (try keyset(moving), try rootKey(place, way.from))
    _ = try await moving.rekey(to: GatedVault(inner: place.vault(way.to), gate: gate))
    let killed = try #require(left.withLock { $0 })
    let store = try await killed.open()
    try await check(store)
    let file = way.from == .file ? "store.key" : "store.passphrase"
    let isMoved = store.vaultName == way.to
    #expect(isMoved == (step > 8))
    #expect(killed.names.filter { $0 == "store.key" || $0 == "store.passphrase" }.count == 1)
    #expect(killed.names.contains(file) != isMoved)
    if isMoved {
      // The last bytes lie in one piece even where a row is spread over pages.
      #expect(!Remains(killed.everything).holds(oldKeyset.suffix(24)))
    }
    store.close()
    // A passphrase of its own, for it is being chosen.
    let again = Place(home: killed.home, passphrase: isMoved ? killed.passphrase : "two")
    let next = isMoved ? try await again.open() : try await killed.open()
    _ = try await next.rekey(to: again.vault(isMoved ? way.from : way.to))
    try await check(next)
    if isMoved { #expect(try rootKey(again, way.from) != oldRoot) }
    next.close()
  }

  @Test(arguments: [VaultName.file, .passphrase], 1...4)
  func `a killed change of the root key is finished by the next open`(
    vault: VaultName,
    step: Int
  ) async throws {
    let place = try await filled(vault)
    let left = Mutex<Place?>(nil)
    let gate = GatedVault.Gate(at: step + 2) { left.withLock { $0 = place.snapshot() } }
    _ = try await (try await place.open(gate)).rekey()
    let killed = try #require(left.withLock { $0 })
    let store = try await killed.open()
    try await check(store)
    let isNewer = step > 1
    let next = try store.engine.read { reader throws(StorageError) in
      try reader.copies(.nextKeyset)
    }
    #expect(next.isEmpty == isNewer)
    _ = try await store.rekey()
    try await check(store)
  }

  /// What may lie in the place of a vault's key that the store does not need.
  enum Leftover: CaseIterable, Sendable {
    case otherPassphrase
    case junk
    case zeros
    case otherStores
  }

  @Test(arguments: Leftover.allCases)
  func `what lies in the new vault is replaced, and never believed`(
    leftover: Leftover
  ) async throws {
    let place = try await filled(.file)
    let path = place.home.store + "/store.passphrase"
    let foreign = RootKey.random(from: .system)
    switch leftover {
    case .otherPassphrase:
      try Place(home: place.home, passphrase: "other").sealed.setRootKey(foreign)
    case .junk: TemporaryHome.write(Array("junk".utf8), to: path)
    case .zeros: TemporaryHome.write([UInt8](repeating: 0, count: 4096), to: path)
    case .otherStores: try place.sealed.setRootKey(foreign)
    }
    let store = try await place.open()
    try await check(store)
    _ = try await store.rekey(to: place.sealed)
    try await check(store)
    #expect(try rootKey(place, .passphrase) != foreign.withBytes { Array($0) })
    try await check(try await place.open())
    #expect(!place.names.contains("store.key"))
  }

  @Test(arguments: [false, true])
  func `a key file that was overwritten and not yet removed is cleared away`(
    isOpened: Bool
  ) async throws {
    let place = try await filled(.file)
    let left = Mutex<Place?>(nil)
    let gate = GatedVault.Gate(at: 11) { left.withLock { $0 = place.snapshot() } }
    let moving = try await place.open(gate)
    _ = try await moving.rekey(to: GatedVault(inner: place.sealed, gate: gate))
    let killed = try #require(left.withLock { $0 })
    TemporaryHome.write([UInt8](repeating: 0, count: 4096), to: killed.home.keyFile)
    if isOpened {
      try await check(try await killed.open())
      #expect(!killed.names.contains("store.key"))
    } else {
      // By the one that comes next and does not open it first.
      let store = try await killed.open()
      _ = try await store.rekey(to: killed.file)
      try await check(store)
    }
  }

  @Test func `a vault that does not keep what it is given gets no store`() async throws {
    let place = try await filled(.file)
    let store = try await place.open()
    await expect(.vaultUnavailable) { try await store.rekey(to: DeafVault()) }
    #expect(store.vaultName == .file)
    try await check(store)
    let left = try store.engine.read { reader throws(StorageError) in
      try reader.copies(.leftoverVaults)
    }
    #expect(left.isEmpty)
  }

  @Test func `a passphrase that is changed while the key moves away brings no key back`()
    async throws
  {
    for step in 1...10 {
      let place = try await filled(.passphrase)
      let changed = Outcome()
      let gate = GatedVault.Gate(at: step + 2) {
        waiting {
          await changed.run { () throws(StorageError) in
            try await place.sealed.changePassphrase(to: Secret("two"))
          }
        }
      }
      let store = try await place.open(gate)
      _ = try await store.rekey(to: GatedVault(inner: place.file, gate: gate))
      try await check(store)
      #expect(gate.wasReached)
      #expect(!place.names.contains("store.passphrase"), "\(step)")
      try await check(try await place.open())
    }
  }

  @Test func `the names of the vaults that are left are read as they were written`() {
    var left = LeftoverVaults()
    #expect(LeftoverVaults(row: left.row) == left)
    for name in [VaultName.file, .tpm2, .file] { left.insert(name) }
    #expect(left.names == [.file, .tpm2])
    #expect(LeftoverVaults(row: left.row) == left)
    left.remove(.file)
    #expect(LeftoverVaults(row: left.row)?.names == [.tpm2])
    for index in left.row.indices {
      var row = left.row
      row[index] ^= 1
      #expect(LeftoverVaults(row: row) == nil)
    }
  }
}

/// A vault that says yes, and keeps nothing.
private struct DeafVault: KeyVault {
  let name = VaultName(rawValue: "deaf")

  func rootKey() throws(StorageError) -> RootKey? { nil }

  func setRootKey(_ key: RootKey?) throws(StorageError) {}
}

import Foundation
import SessionModels
import Synchronization
import Testing

@testable import SecureStorage

/// Against Tink, by way of its Python package, which reads store and keyset by FORMAT.md alone.
@Suite(.timeLimit(.minutes(5))) struct TinkInteropTests {
  private struct Reading: Encodable {
    let directory: String
    let keys: [String]
  }

  private struct Sealing: Encodable {
    let directory: String
    let generation: UInt64
    let values: [String: Data]
  }

  private static let ciphers: [CipherName] = [.xchacha20Poly1305, .aes256GCM]
  private static let values: [String: [UInt8]] = [
    "empty": [], "one": [0], "ä hundred": (1...100 as ClosedRange<UInt8>).bytes,
    "a mebibyte": [UInt8](repeating: 0xA5, count: 1 << 20),
  ]

  @Test(arguments: ciphers) func `Tink opens the rows of a store`(cipher: CipherName) async throws {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(cipher: cipher))
    try await store.transaction { transaction throws(StorageError) in
      for (key, value) in Self.values { try transaction.set(Secret(bytes: value), forKey: key) }
    }
    for _ in 0..<2 {
      let read: [String: Data] = try await Tink.run(
        TinkScripts.read,
        Reading(directory: home.store, keys: Array(Self.values.keys))
      )
      let isSame = read.mapValues { Array($0) } == Self.values
      #expect(isSame)
      // And again with the keys that a change of key makes.
      _ = try await store.rekey()
    }
  }

  @Test(arguments: ciphers) func `Tink opens rows of two ciphers in the middle of their change`(
    cipher: CipherName
  ) async throws {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(cipher: cipher))
    try await store.set("old", forKey: "before")
    let other = try #require(Self.ciphers.first { $0 != cipher })
    try await store.transaction { transaction throws(StorageError) in
      let sealer = transaction.unlocked.sealer
      try transaction.setKeyring(sealer.keyring.rotated(cipher: other, random: sealer.random))
    }
    try await store.set("new", forKey: "after")
    let read: [String: Data] = try await Tink.run(
      TinkScripts.read,
      Reading(directory: home.store, keys: ["before", "after"])
    )
    #expect(read == ["before": Data("old".utf8), "after": Data("new".utf8)])
  }

  @Test(arguments: ciphers) func `a store opens the rows that Tink sealed`(
    cipher: CipherName
  ) async throws {
    let home = TemporaryHome()
    let store = try await home.open(StoreOptions(cipher: cipher))
    let rows: [String: Data] = try await Tink.run(
      TinkScripts.seal,
      Sealing(directory: home.store, generation: 7, values: Self.values.mapValues { Data($0) })
    )
    let sealer = store.cache.withLock { $0.unlocked.sealer }
    #expect(rows.count == Self.values.count)
    for (key, row) in rows {
      let item = SealedItem.value(KeyName(unchecked: key), in: .user)
      let opened = try #require(sealer.open(Array(row), as: item))
      #expect(opened.generation == 7)
      let isSame =
        ValueContent.decode(opened.plaintext)?.value.withBytes { Array($0) }
        == Self.values[key]
      #expect(isSame, "\(key)")
    }
  }
}

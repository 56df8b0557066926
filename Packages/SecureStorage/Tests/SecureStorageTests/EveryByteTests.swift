import SessionModels
import Synchronization
import Testing

@testable import SecureStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Every byte of a small database flipped, one after the other.
@Suite struct EveryByteTests {
  /// What a byte belongs to.
  private enum Part: Hashable {
    /// The structure of the file, or nothing at all.
    case structure
    /// A row of which there is another copy.
    case copied
    case value(String)
  }

  private let home = TemporaryHome()
  private let values = ["a": "1", "b": String(repeating: "two ", count: 40), "ü": ""]

  /// The closed database, and what each of its bytes belongs to.
  private func sample() async throws -> (bytes: [UInt8], parts: [Part]) {
    let store = try await home.open()
    let values = values
    try await store.transaction { transaction throws(StorageError) in
      for (key, value) in values { try transaction.set(value, forKey: key) }
    }
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    store.close()
    let bytes = TemporaryHome.bytes(of: home.store + "/store.db")
    var parts = [Part](repeating: .structure, count: bytes.count)
    let engine = try SQLiteEngine(directory: home.store, lockDeadline: .seconds(1))
    let other = try await OtherProcess.open(home)
    defer { other.close() }
    let keyring = other.cache.withLock { $0.unlocked.sealer.keyring }
    var names: [RowName: Part] = [:]
    for key in values.keys {
      names[keyring.rowName(KeyName(unchecked: key), in: .user)] = .value(key)
    }
    names[keyring.rowName(KeyName(unchecked: "session"), in: .session)] = .value("session")
    let rows = try engine.read { reader throws(StorageError) in
      var rows: [(RowName, [UInt8])] = []
      for space in [0, 128] + StoreNamespace.allCases.flatMap(\.spaces) {
        for name in try reader.names(in: space) { rows.append((name, try reader.row(name) ?? [])) }
      }
      return rows
    }
    engine.close()
    for (name, row) in rows {
      for place in Self.places(of: row, in: bytes) {
        for index in place..<place + row.count { parts[index] = names[name] ?? .copied }
      }
    }
    return (bytes, parts)
  }

  private static func places(of row: [UInt8], in bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return [] }
      return (0...bytes.count - row.count).filter { place in
        bytes[place] == row[0] && memcmp(start + place, row, row.count) == 0
      }
    }
  }

  /// The keys that cannot be read; every other answer must be the truth.
  private func unreadable(_ what: Comment) async -> Set<String> {
    var unreadable: Set<String> = []
    guard let store = try? await OtherProcess.open(home) else {
      return Set(values.keys).union(["session"])
    }
    defer { store.close() }
    for (key, value) in values {
      do {
        #expect(try store.string(forKey: key) == value, what)
      } catch {
        unreadable.insert(key)
      }
    }
    do {
      let record = try SecureSessionStorage(store: store).record()
      #expect(record.authInfo == SecureSessionStorageTests.info(), what)
    } catch {
      unreadable.insert("session")
    }
    return unreadable
  }

  @Test func `each answer is the truth or an error, and only what was hit is an error`()
    async throws
  {
    let (bytes, parts) = try await sample()
    #expect(await unreadable("untouched").isEmpty)
    let file = open(home.store + "/store.db", O_RDWR)
    defer { close(file) }
    var seen: [Part: Int] = [:]
    for place in bytes.indices {
      // Of the long stretches of zeros between rows some are enough.
      if bytes[place] == 0, parts[place] == .structure, place % 4096 > 300, place % 61 != 0 {
        continue
      }
      var flipped = bytes[place] ^ (1 << UInt8(place % 8))
      #expect(pwrite(file, &flipped, 1, off_t(place)) == 1)
      let unreadable = await unreadable("byte \(place)")
      switch parts[place] {
      case .structure: break
      case .copied: #expect(unreadable.isEmpty, "byte \(place)")
      case .value(let key): #expect(unreadable == [key], "byte \(place)")
      }
      seen[parts[place], default: 0] += 1
      var right = bytes[place]
      #expect(pwrite(file, &right, 1, off_t(place)) == 1)
    }
    #expect(await unreadable("mended").isEmpty)
    #expect(seen[.copied] ?? 0 > 1500)
    #expect(seen.count == 6)
  }
}

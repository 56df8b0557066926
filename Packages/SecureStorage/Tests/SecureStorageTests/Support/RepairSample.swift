import SecureStorage
import SessionModels
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The files of a store, and what it holds: values of many lengths, and a session.
struct RepairSample {
  static let files = ["store.db", "store.db-wal", "store.generation", "store.key"]

  let contents: [String: [UInt8]]
  let values: [String: String]

  /// A store that was closed, or whose files were copied while all of it was in the log.
  static func make(entries: Int, isClosed: Bool = true) async throws -> RepairSample {
    let home = TemporaryHome()
    let store = try await home.open()
    try await SecureSessionStorage(store: store).setAuthInfo(SecureSessionStorageTests.info())
    var values: [String: String] = [:]
    for index in 0..<entries {
      let (key, value) = ("key \(index)", String(repeating: "\(index) ", count: index % 40 * 9))
      values[key] = value
      if index % 10 == 0 { try await store.set(value, forKey: key) }
    }
    let all = values
    try await store.transaction { transaction throws(StorageError) in
      for (key, value) in all { try transaction.set(value, forKey: key) }
      try transaction.set("kept", forKey: "other", in: .profile)
    }
    if isClosed { store.close() }
    var contents: [String: [UInt8]] = [:]
    for file in files { contents[file] = TemporaryHome.bytes(of: home.store + "/" + file) }
    return RepairSample(contents: contents, values: values)
  }

  var database: [UInt8] { contents["store.db"] ?? [] }
  var log: [UInt8] { contents["store.db-wal"] ?? [] }

  /// The numbers of the pages that begin with one of these bytes.
  func pages(_ kinds: UInt8...) -> [Int] {
    (1..<database.count / 4096).filter { kinds.contains(database[$0 * 4096]) }
  }

  /// The database with zeros for some pages.
  func zeroing(_ pages: Int...) -> [UInt8] {
    var bytes = database
    for page in pages {
      bytes.replaceSubrange(
        page * 4096..<min(bytes.count, (page + 1) * 4096),
        with: repeatElement(0, count: min(bytes.count, (page + 1) * 4096) - page * 4096)
      )
    }
    return bytes
  }

  /// Lays the files down; nil leaves one out.
  func restore(_ home: TemporaryHome, _ changes: [String: [UInt8]?] = [:]) {
    TemporaryHome.remove(home.path)
    mkdir(home.path, 0o700)
    mkdir(home.store, 0o700)
    for (name, content) in contents {
      guard let bytes = changes[name] ?? content else { continue }
      TemporaryHome.write(bytes, to: home.store + "/" + name)
    }
  }

  /// Repairs, and holds what is there then against what was: each value is the right one, or is
  /// named or counted as lost.
  func repair(_ home: TemporaryHome, _ what: Comment) async throws -> StoreRepair {
    let repair = try await SecureStore.repair(
      storeAt: home.store,
      vault: FileVault(path: home.keyFile)
    )
    let store = try await home.open()
    defer { store.close() }
    #expect(try await store.verify() == StoreVerification(verified: repair.readable, damaged: []))
    var absent: Set<String> = []
    for (key, value) in values {
      let found = try store.string(forKey: key)
      if found == nil { absent.insert(key) } else { #expect(found == value, what) }
    }
    let isOlder = repair.lost.contains { $0.hasPrefix("<changes after ") }
    if !isOlder {
      let named = Set(repair.lost.filter { !$0.hasPrefix("<") })
      let nameless = repair.lost.first { $0.hasPrefix("<namespace 1>: ") }
      let count = nameless?.split(separator: " ").dropFirst(2).first.flatMap { Int($0) } ?? 0
      #expect(named.isSubset(of: absent), what)
      #expect(absent.count == named.count + count || count > values.count, what)
      #expect(absent.subtracting(named).isEmpty == (nameless == nil), what)
    }
    let record = try SecureSessionStorage(store: store).record()
    if repair.lost.contains("<session>") {
      #expect(record.authInfo == nil && record.signOutReason == .tampered, what)
    } else if !isOlder {
      #expect(record.authInfo == SecureSessionStorageTests.info(), what)
    }
    // It can be written to, too.
    try await store.set("new", forKey: "new")
    try await store.remove("key 1")
    return repair
  }
}

import SecureStorageTesting
import SessionModels
import Synchronization
import Testing

@testable import SecureStorage

@Suite struct ImportTests {
  private let old = TemporaryHome()
  private let new = TemporaryHome()

  private func source() async throws -> SecureStore {
    let store = try await old.open()
    try await store.set("blue", forKey: "colour")
    try await store.set("", forKey: "empty")
    try await store.set([0xFF, 0x00], forKey: "bytes")
    try await store.set("kept", forKey: "colour", in: .profile)
    return store
  }

  @Test func `values of every namespace move, and their source is empty afterwards`() async throws {
    let source = try await source()
    let removed = try SealedRows.all(of: old)
    let store = try await new.open()
    let steps = Steps()
    let outcome = try await store.importing(from: StoreImport(source)) { steps.add($0) }
    #expect(outcome == ImportOutcome(values: 4, movedSession: false))
    #expect(steps.last == StoreProgress(done: 8, total: 8))
    #expect(try store.string(forKey: "colour") == "blue")
    #expect(try store.string(forKey: "empty") == "")
    #expect(try store.data(forKey: "bytes") == [0xFF, 0x00])
    #expect(try store.string(forKey: "colour", in: .profile) == "kept")
    for namespace in StoreNamespace.allCases { #expect(try source.keys(in: namespace).isEmpty) }
    source.close()
    let files = TemporaryHome.names(in: old.store).flatMap {
      TemporaryHome.bytes(of: old.store + "/" + $0)
    }
    let present = try SealedRows.all(of: old)
    let remains = removed.filter { !present.contains($0) && files.contains($0) }
    #expect(removed.count > present.count)
    #expect(remains.isEmpty)
    let again = try await old.open()
    #expect(try await store.importing(from: StoreImport(again)).values == 0)
  }

  @Test func `another value here is an error before anything is changed, unless it is replaced`()
    async throws
  {
    let source = try await source()
    let store = try await new.open()
    try await store.set("red", forKey: "colour")
    try await store.set("", forKey: "empty")
    await expect(.invalidInput) { try await store.importing(from: StoreImport(source)) }
    #expect(try store.keys() == ["colour", "empty"])
    #expect(try source.keys().count == 3)
    let outcome = try await store.importing(from: StoreImport(source), replacing: true)
    #expect(outcome.values == 4)
    #expect(try store.string(forKey: "colour") == "blue")
    #expect(try source.keys().isEmpty)
  }

  @Test func `a store is no source of itself`() async throws {
    let store = try await source()
    await expect(.invalidInput) { try await store.importing(from: StoreImport(store)) }
    #expect(try store.keys().count == 3)
  }

  @Test func `a failure anywhere leaves the source whole, and the next run finishes`() async throws
  {
    let source = try await source()
    for call in 1...40 {
      let engine = InMemoryEngine()
      let store = try await SecureStore.open(engine: engine, vault: InMemoryVault())
      let failing = FailingImport(StoreImport(source), failingAt: call)
      do throws(StorageError) {
        try await store.importing(from: failing)
      } catch {
        #expect(error.code == .io)
        #expect(try source.keys().count == 3)
        #expect(try source.keys(in: .profile).count == 1)
        continue
      }
      #expect(call > 12, "every step before it has failed once")
      #expect(try source.keys().isEmpty)
      #expect(try store.keys().count == 3)
      return
    }
    Issue.record("it never got through")
  }

  @Test func `what is changed in the source while it is copied stays there`() async throws {
    let source = try await source()
    let store = try await new.open()
    let changing = ChangingImport(source)
    await expect(.busy) { try await store.importing(from: changing) }
    #expect(try source.string(forKey: "colour") == "green")
    #expect(try store.string(forKey: "colour") == "blue")
    let outcome = try await store.importing(from: StoreImport(source), replacing: true)
    #expect(outcome.values == 1)
    #expect(try store.string(forKey: "colour") == "green")
  }
}

@Suite struct JSONLinesImportTests {
  private let home = TemporaryHome()

  @Test func `lines of text and base64 become values`() async throws {
    let store = try await home.open()
    let text = """
      {"key":"a","value":"1"}

      {"base64":"/wA=","key":"b","more":[1]}\r
      {"key":"a","value":"1"}
      {"key":"\\u00fc","value":"\\ud83d\\ude00\\n"}
      """
    let outcome = try await store.importing(from: JSONLinesImport(Array(text.utf8)))
    #expect(outcome == ImportOutcome(values: 3, movedSession: false))
    #expect(try store.string(forKey: "a") == "1")
    #expect(try store.data(forKey: "b") == [0xFF, 0x00])
    #expect(try store.string(forKey: "ü") == "😀\n")
    let again = try await store.importing(from: JSONLinesImport(Array(text.utf8)))
    #expect(again.values == 3)
  }

  @Test func `composed and decomposed keys are two`() async throws {
    let text = "{\"key\":\"\\u00e4\",\"value\":\"1\"}\n{\"key\":\"a\\u0308\",\"value\":\"2\"}"
    let store = try await home.open()
    #expect(try await store.importing(from: JSONLinesImport(Array(text.utf8))).values == 2)
    #expect(try store.string(forKey: "a\u{308}") == "2")
  }

  /// A line, and what is said of it.
  struct Fault: Sendable {
    let line: String
    let words: String

    init(_ line: String, _ words: String) { (self.line, self.words) = (line, words) }
  }

  @Test(arguments: [
    Fault("nonsense", "is no JSON"), Fault(#"{"key":"a""#, "is no JSON"),
    Fault("[]", "is no object"), Fault("5", "is no object"), Fault("{}", "has no key"),
    Fault(#"{"value":"a"}"#, "has no key"), Fault(#"{"key":"a"}"#, "has neither value nor base64"),
    Fault(#"{"key":"a","value":null}"#, "has neither value nor base64"),
    Fault(#"{"key":1,"value":"a"}"#, "has a key that is no text"),
    Fault(#"{"key":null,"value":"a"}"#, "has a key that is no text"),
    Fault(#"{"key":"a","value":1}"#, "has a value that is no text"),
    Fault(#"{"key":"a","base64":[]}"#, "has a base64 that is no text"),
    Fault(#"{"key":"a","value":"b","base64":"YQ=="}"#, "has both value and base64"),
    Fault(#"{"key":"a","base64":"?"}"#, "has a base64 that is none"),
    Fault(#"{"key":"","value":"b"}"#, "The key is empty"),
    Fault(#"{"key":"a\u0000","value":"b"}"#, "The key holds a NUL"),
    Fault(#"{"key":"a","value":"1","value":"2"}"#, "has value twice"),
    Fault(#"{"key":"a","value":"1","k\u0065y":"a"}"#, "has key twice"),
    Fault(#"{"key":"before","value":"2"}"#, "has a key that stands there before, differently"),
  ])
  func `a line of another form is refused, with its number`(fault: Fault) {
    let text = #"{"key":"before","value":"1"}"# + "\n\n" + fault.line
    let error = #expect(throws: StorageError.self) { try JSONLinesImport(Array(text.utf8)) }
    #expect(error?.code == .invalidInput)
    #expect(error?.message.hasPrefix("Line 3") == true)
    #expect(error?.message.contains(fault.words) == true, "\(error?.message ?? "")")
    #expect(error?.advice.hasSuffix("Nothing was changed.") == true)
  }

  @Test(arguments: [
    #"{"key":"a","value":"{\"key\":1,\"key\":2}"}"#, #"{"key":"key","value":"value"}"#,
    #"{"more":{"a":1,"a":2},"key":"a","value":"\\","list":[{"key":1},{"key":2},"key","key"]}"#,
  ])
  func `names are those of the line's own members`(line: String) throws {
    _ = try JSONLinesImport(Array(line.utf8))
  }
}

/// What a run has told of its progress.
private final class Steps: Sendable {
  private let steps = Mutex<[StoreProgress]>([])

  func add(_ step: StoreProgress) { steps.withLock { $0.append(step) } }

  var last: StoreProgress? { steps.withLock { $0.last } }
}

/// A source whose n-th call fails.
private struct FailingImport: ImportSource {
  private let source: StoreImport
  private let countdown: Mutex<Int>.Box

  init(_ source: StoreImport, failingAt call: Int) {
    self.source = source
    countdown = Mutex<Int>.Box(call)
  }

  var sessionStore: SecureStore? { nil }

  func entries() async throws(StorageError) -> [ImportEntry] {
    try step()
    return try await source.entries()
  }

  func value(of entry: ImportEntry) async throws(StorageError) -> Secret? {
    try step()
    return try await source.value(of: entry)
  }

  func remove(
    _ entries: [ImportEntry],
    where isKept: @escaping @Sendable (ImportEntry, Secret) throws(StorageError) -> Bool
  ) async throws(StorageError) -> Bool {
    try step()
    return try await source.remove(entries, where: isKept)
  }

  private func step() throws(StorageError) {
    let isOver = countdown.value.withLock { count in
      count -= 1
      return count == 0
    }
    if isOver { throw StorageError(.io, "m", advice: "a") }
  }
}

extension Mutex<Int> {
  fileprivate final class Box: Sendable {
    let value: Mutex<Int>

    init(_ number: Int) { value = Mutex(number) }
  }
}

/// A source in which another process changes a value before it is deleted.
private struct ChangingImport: ImportSource {
  private let store: SecureStore
  private let source: StoreImport

  init(_ store: SecureStore) {
    self.store = store
    source = StoreImport(store)
  }

  var sessionStore: SecureStore? { nil }

  func entries() async throws(StorageError) -> [ImportEntry] { try await source.entries() }

  func value(of entry: ImportEntry) async throws(StorageError) -> Secret? {
    try await source.value(of: entry)
  }

  func remove(
    _ entries: [ImportEntry],
    where isKept: @escaping @Sendable (ImportEntry, Secret) throws(StorageError) -> Bool
  ) async throws(StorageError) -> Bool {
    try await store.set("green", forKey: "colour")
    return try await source.remove(entries, where: isKept)
  }
}

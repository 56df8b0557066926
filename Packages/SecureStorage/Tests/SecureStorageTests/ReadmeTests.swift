import Foundation
import SecureStorage
import SecureStorageTesting
import SessionModels
import Testing

/// The examples of README.md, which must compile and do what they say.
@Suite struct ReadmeTests {
  private let directory: String
  private let home = TemporaryHome()

  init() { directory = home.store }

  private func show(_ info: AuthInfo?) { #expect(info == nil) }

  private func show(_ state: Result<AuthInfo?, StorageError>) { show(try? state.get()) }

  // swift-format-ignore
  @Test func `a store, its values and the session`() async throws {
    let store = try await SecureStore.open(
      at: directory,
      vault: FileVault(path: directory + "/store.key")
    )
    try await store.set("blue", forKey: "colour")
    let colour = try store.string(forKey: "colour")
    #expect(colour == "blue")

    let sessions = SecureSessionStorage(store: store)
    let shown = Task {
      for await state in sessions.observeAuthInfo() { show(try state.get()) }
    }
    shown.cancel()
    _ = await shown.result
  }

  #if SecretService && os(Linux)
  // swift-format-ignore
  @Test func `a session that comes to life`() async throws {
    let sessions = AwakeningSessionStorage(
      at: directory,
      vault: SecretServiceVault(account: directory)
    )
    let shown = Task {
      for await state in sessions.observeAuthInfo() { show(state) }
    }
    shown.cancel()
    _ = await shown.result
  }
  #endif

  // swift-format-ignore
  @Test func `a repair`() async throws {
    let vault = FileVault(path: directory + "/store.key")
    try await SecureStore.open(at: directory, vault: vault).close()
    let repair = try await SecureStore.repair(storeAt: directory, vault: vault)
    for name in repair.lost { print("lost: \(name)") }
    #expect(repair.lost.isEmpty)
  }

  @Test func `every line of them stands here`() throws {
    let file = URL(filePath: #filePath)
    let source = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let package = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
    let examples = readme.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
      .filter { !$0.hasPrefix(".package") }
    #expect(examples.count == 3)
    for line in examples.joined(separator: "\n").split(separator: "\n") {
      #expect(source.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
  }
}

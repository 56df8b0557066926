#if SecretService && os(Linux)
internal import CSecret

/// The items of one account and kind, found by their attributes in whatever keyring they are.
struct SecretItems {
  private static let schema = "MobileAuthCore.Vault"
  private static let service = "org.freedesktop.Secret.Service"
  private static let collection = "org.freedesktop.Secret.Collection"
  private static let item = "org.freedesktop.Secret.Item"

  enum Kind: String {
    case key
    case counter
  }

  let bus: SecretBus
  let account: String
  let kind: Kind

  /// The paths of those that can be read, the one that counts first.
  ///
  /// There is one, unless somebody copied it: then the one that was written last counts.
  ///
  /// - Throws: `locked` where there may be one that cannot be seen, `noCollection`.
  func unlocked() throws(SecretServiceFailure) -> [String] {
    let found = try search()
    if !found.unlocked.isEmpty { return try sorted(found.unlocked) }
    guard found.locked.isEmpty else { throw .locked }
    // A daemon that searches only what is unlocked finds nothing in a locked keyring.
    _ = try defaultCollection()
    return []
  }

  /// Reads one, or nil where it has just gone or cannot be read.
  func read<Result>(
    _ path: String,
    _ body: (UnsafeBufferPointer<CChar>) -> Result?
  ) throws(SecretServiceFailure) -> Result? {
    do throws(SecretServiceFailure) {
      let answer = try bus.call(
        path,
        Self.item,
        "GetSecret",
        .path(bus.session),
        reply: "((oayays))"
      )
      guard let secret = answer.first else { return nil }
      return bus.opened(secret, body) ?? nil
    } catch .noSuchObject {
      return nil
    }
  }

  /// Keeps a text in the one that counts, or makes it; then removes copies.
  func write(_ text: UnsafeBufferPointer<CChar>) throws(SecretServiceFailure) {
    let paths = try unlocked()
    guard let first = paths.first else { return try create(text) }
    try bus.call(first, Self.item, "SetSecret", bus.sealed(text), reply: "()")
    for copy in paths.dropFirst() { try delete(copy) }
  }

  /// Removes all of them.
  func delete() throws(SecretServiceFailure) {
    let found = try search()
    guard found.locked.isEmpty else { throw .locked }
    for path in found.unlocked { try delete(path) }
    guard found.unlocked.isEmpty else { return }
    do throws(SecretServiceFailure) {
      _ = try defaultCollection()
    } catch .noCollection {
      // Then there is nothing that could be hidden in it.
    }
  }

  private func search() throws(SecretServiceFailure) -> (unlocked: [String], locked: [String]) {
    let answer = try bus.call(
      SecretBus.root,
      Self.service,
      "SearchItems",
      .texts(attributes),
      reply: "(aoao)"
    )
    guard answer.count == 2 else { return ([], []) }
    return (answer[0].members.compactMap(\.path), answer[1].members.compactMap(\.path))
  }

  private func sorted(_ paths: [String]) throws(SecretServiceFailure) -> [String] {
    guard paths.count > 1 else { return paths }
    var dated: [(path: String, modified: UInt64)] = []
    for path in paths {
      let modified = try bus.property("Modified", of: path, Self.item)?.number ?? 0
      dated.append((path, modified))
    }
    return dated.sorted { ($0.modified, $0.path) > ($1.modified, $1.path) }.map(\.path)
  }

  /// The keyring that new items go to, unlocked.
  private func defaultCollection() throws(SecretServiceFailure) -> String {
    let answer = try bus.call(
      SecretBus.root,
      Self.service,
      "ReadAlias",
      .text("default"),
      reply: "(o)"
    )
    guard let path = answer.first?.path, path != "/" else { throw .noCollection }
    do throws(SecretServiceFailure) {
      let isLocked = try bus.property("Locked", of: path, Self.collection)?.flag
      guard isLocked == false else { throw .locked }
      return path
    } catch .noSuchObject {
      throw .noCollection
    }
  }

  private func create(_ text: UnsafeBufferPointer<CChar>) throws(SecretServiceFailure) {
    let suffix = kind == .key ? "" : " (\(kind.rawValue))"
    let answer = try bus.call(
      defaultCollection(),
      Self.collection,
      "CreateItem",
      .properties([
        ("\(Self.item).Label", .text("MobileAuthCore: \(account)\(suffix)")),
        ("\(Self.item).Attributes", .texts(attributes)),
      ]),
      bus.sealed(text),
      // Replaces what another process made since we looked.
      .flag(true),
      reply: "(oo)"
    )
    guard answer.last?.path == "/" else { throw .wantsToPrompt }
  }

  private func delete(_ path: String) throws(SecretServiceFailure) {
    do throws(SecretServiceFailure) {
      let prompt = try bus.call(path, Self.item, "Delete", reply: "(o)").first?.path
      guard prompt == "/" else { throw .wantsToPrompt }
    } catch .noSuchObject {
      // Somebody else removed it.
    }
  }

  private var attributes: [(String, String)] {
    [("xdg:schema", Self.schema), ("account", account), ("kind", kind.rawValue)]
  }
}
#endif

/// The vaults that may keep a key of the store's which it does not need any more, or not yet.
///
/// A vault and a database cannot be changed in one step. So this is written before a move puts a
/// key into the new vault, and with the commit that names the new vault for the old one: whoever
/// finds it after a crash clears away every key but the one in use.
struct LeftoverVaults: Equatable, Sendable {
  private(set) var names: [VaultName] = []

  init() {}

  /// Reads a row; nil where it is damaged.
  init?(row: [UInt8]) {
    guard let payload = Checksummed.payload(of: row) else { return nil }
    var reader = ByteReader(payload)
    while !reader.isAtEnd {
      guard let name = reader.short() else { return nil }
      insert(VaultName(rawValue: String(decoding: name, as: UTF8.self)))
    }
  }

  var row: [UInt8] {
    var writer = ByteWriter()
    for name in names { writer.short(Array(name.rawValue.utf8)) }
    return Checksummed.frame(writer.bytes)
  }

  mutating func insert(_ name: VaultName) {
    if !names.contains(name) { names.append(name) }
  }

  mutating func remove(_ name: VaultName) { names.removeAll { $0 == name } }
}

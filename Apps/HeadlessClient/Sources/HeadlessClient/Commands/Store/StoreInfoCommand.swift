internal import AuthNetworking
internal import SecureStorage

/// `store info`.
package enum StoreInfoCommand: Command {
  package static let spec = CommandSpec(
    "store info",
    summary: "show where the store is and how it is sealed",
    examples: ["store info --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    guard let store = try await context.client.storeForReading() else {
      throw ClientError(.notFound, "There is no store yet", advice: "Sign in, or set a value")
    }
    let info = try withStorageErrors { () throws(StorageError) in try store.info() }
    try context.console.result(
      .members([
        "path": .string(info.path), "entries": .integer(info.entries),
        "bytes": .integer(info.bytes), "cipher": .string("\(info.cipher)"),
        "keyID": .string("\(info.keyID)"), "vault": .string("\(info.vault)"),
      ]),
      Rows.text([
        ("Path", info.path), ("Entries", "\(info.entries)"), ("Bytes", "\(info.bytes)"),
        ("Cipher", "\(info.cipher)"), ("Key", "\(info.keyID)"), ("Vault", "\(info.vault)"),
      ])
    )
  }
}

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
    let store = try await context.client.storeForWriting()
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

internal import AuthNetworking
internal import SecureStorage

/// `store remove KEY`.
package enum StoreRemoveCommand: Command {
  package static let spec = CommandSpec(
    "store remove",
    operands: ["KEY"],
    summary: "remove a key and overwrite its value",
    examples: ["store remove theme"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let key = context.invocation.operand(0) ?? ""
    if let store = try await context.client.storeForReading() {
      try await withStorageErrors { () async throws(StorageError) in try await store.remove(key) }
    }
    if context.console.style.json {
      try context.console.result(.members(["key": .string(key)]), "")
    }
  }
}

internal import AuthNetworking
internal import SecureStorage

/// `store set KEY [VALUE|-]`.
package enum StoreSetCommand: Command {
  package static let spec = CommandSpec(
    "store set",
    operands: ["KEY"],
    optionalOperands: ["VALUE|-"],
    summary: "store a value, from standard input where none is given",
    examples: ["store set theme dark", "store set avatar - < avatar.png"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let key = context.invocation.operand(0) ?? ""
    let value: [UInt8]
    if let text = context.invocation.operand(1), text != "-" {
      value = Array(text.utf8)
    } else {
      value = try context.input.standardInput(atMost: StoreLimits.valueBytes)
    }
    let store = try await context.client.storeForWriting()
    try await withStorageErrors { () async throws(StorageError) in
      try await store.set(value, forKey: key)
    }
    if context.console.style.json {
      try context.console.result(StoreEntry.json(key: key, value: value), "")
    } else {
      context.console.detail("Stored \(Counted.text(value.count, "byte"))")
    }
  }
}

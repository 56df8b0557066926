internal import AuthNetworking
internal import SecureStorage

/// `store get KEY`.
package enum StoreGetCommand: Command {
  package static let spec = CommandSpec(
    "store get",
    operands: ["KEY"],
    summary: "print a value as it is",
    examples: ["store get theme", "store get avatar > avatar.png"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let key = context.invocation.operand(0) ?? ""
    let store = try await context.client.storeForReading()
    let value = try withStorageErrors { () throws(StorageError) in
      try store?.data(forKey: key)
    }
    guard let value else { throw ClientError(.notFound, "There is no key of this name") }
    if context.console.style.json {
      return try context.console.result(StoreEntry.json(key: key, value: value), "")
    }
    try context.console.raw(value)
    // A terminal's prompt should not stand behind the value; a file gets the bytes alone.
    if context.console.style.resultsAreLive { try context.console.raw([UInt8(ascii: "\n")]) }
  }
}

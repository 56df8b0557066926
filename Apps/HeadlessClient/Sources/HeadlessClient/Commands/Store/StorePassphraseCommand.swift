internal import AuthNetworking

/// `store passphrase`.
package enum StorePassphraseCommand: Command {
  package static let spec = CommandSpec(
    "store passphrase",
    summary: "change the passphrase",
    details: ["The new one is asked for, or read from HEADLESS_CLIENT_NEW_PASSPHRASE."],
    examples: ["store passphrase"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    try await context.client.changePassphrase()
    try context.console.result(.members(["changed": .bool(true)]), "The passphrase was changed")
  }
}

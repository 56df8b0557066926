internal import AuthNetworking
internal import SecureStorage

/// `store rekey [--vault NAME]`.
package enum StoreRekeyCommand: Command {
  package static let spec = CommandSpec(
    "store rekey",
    summary: "seal everything with a new key, in the vault that --vault names",
    details: [
      "The store can be used meanwhile, and a crash leaves every value readable. A passphrase to "
        + "move to is asked for, or read from HEADLESS_CLIENT_PASSPHRASE."
    ],
    examples: ["store rekey", "store rekey --vault passphrase"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let console = context.console
    let bar = ProgressBar("rekeying", on: console)
    let count = try await context.client.rekey { bar.show(done: $0.done, of: $0.total) }
    try console.result(
      .members(["rekeyed": .integer(count)]),
      "\(count) values sealed with a new key"
    )
  }
}

internal import AuthNetworking

/// `store reset`.
package enum StoreResetCommand: Command {
  package static let spec = CommandSpec(
    "store reset",
    summary: "set the store aside and start an empty one",
    details: [
      "What is set aside is never deleted; without its key nobody can read it. The empty store gets "
        + "the vault of the old one, unless --vault names another, and takes its place only when it "
        + "is ready: where that fails, nothing has changed."
    ],
    examples: ["store reset"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let aside = try await context.client.reset()
    try context.console.result(
      .members(["aside": aside.map(JSONValue.string) ?? .null]),
      aside.map { "The old store lies in \($0)" } ?? "There was no store"
    )
  }
}

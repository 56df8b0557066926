/// `status`: what is stored, without the network.
package enum StatusCommand: Command {
  package static let spec = CommandSpec(
    "status",
    summary: "show who is signed in, without asking the network",
    examples: ["status", "status --profile work --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    try await context.client.printStatus()
  }
}

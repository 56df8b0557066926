internal import AuthNetworking

/// `refresh`: refreshes now.
package enum RefreshCommand: Command {
  package static let spec = CommandSpec(
    "refresh",
    summary: "refresh the access token now",
    examples: ["refresh --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    try await withAuthErrors { () async throws(AuthError) in try await controller.refresh() }
    try await context.client.printStatus()
  }
}

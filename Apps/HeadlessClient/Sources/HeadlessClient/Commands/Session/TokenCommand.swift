internal import AuthNetworking
internal import SessionModels

/// `token [--reveal]`.
package enum TokenCommand: Command {
  package static let spec = CommandSpec(
    "token",
    options: [OptionSpec("reveal", .flag, "print it as it is")],
    summary: "print the access token, redacted unless told otherwise",
    details: ["Refreshes ahead of time, as a request would."],
    examples: ["token", "token --reveal --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    let token = try await withAuthErrors { () async throws(AuthError) in
      try await controller.token()
    }
    let secret = token.secret
    let reveals = context.invocation.isOn("reveal")
    let text = reveals ? secret.reveal() : secret.redacted
    let expiry = controller.authInfo?.accessTokenExpiresAt ?? token.expiresAt
    try context.console.result(
      .members([
        "token": .string(text),
        "expiresAt": expiry.map { .string(Instant.text(of: $0)) },
      ]),
      text,
      reveals: reveals
    )
  }
}

internal import AuthNetworking
internal import SessionModels

/// `reauthenticate [IDENTIFIER]`.
package enum ReauthenticateCommand: Command {
  package static let spec = CommandSpec(
    "reauthenticate",
    optionalOperands: ["IDENTIFIER"],
    options: [PasswordInput.option],
    summary: "confirm the password of who is signed in",
    details: [
      "For what wants the password again before it is done. A wrong one leaves the session as it "
        + "is. The right one brings new tokens, which replace the stored ones; the old session is "
        + "revoked on the server.",
      "IDENTIFIER is what the user signs in with; without it the backend is asked who that is.",
    ],
    examples: ["reauthenticate", "reauthenticate ada@example.com --password-stdin --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    guard controller.state.isSignedIn else {
      throw context.client.signedOutError(controller.state)
    }
    let password = try PasswordInput.password(context, isNew: false)
    let identifier = context.invocation.operand(0)
    let info = try await withAuthErrors { () async throws(AuthError) in
      try await controller.reauthenticate(password: password, identifier: identifier)
    }
    context.client.conceal(info)
    try await context.client.print(info, reason: nil)
  }
}

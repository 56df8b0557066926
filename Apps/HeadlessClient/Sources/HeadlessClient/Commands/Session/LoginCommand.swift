internal import AuthNetworking
internal import SessionModels

/// `login IDENTIFIER`.
package enum LoginCommand: Command {
  package static let spec = CommandSpec(
    "login",
    operands: ["IDENTIFIER"],
    options: [PasswordInput.option],
    otherNames: ["signin", "sign-in"],
    summary: "sign in",
    details: [
      "IDENTIFIER is the e-mail address, in KSN also the username. The backend, the realtime "
        + "endpoint, the dialect and the token model are remembered for the commands after it: name "
        + "the first two at the first sign-in. Without the realtime endpoint all works but messages "
        + "watch and rpc."
    ],
    examples: [
      "login ada@example.com --base-url http://127.0.0.1:3001 --realtime-url http://127.0.0.1:3002",
      "login ada --dialect ksn --base-url https://api.example.com --password-stdin",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    try context.client.setDamagedSettingsAside()
    let backend = try context.client.backendForSignIn()
    try await context.client.checkVaultOption()
    let credentials = Credentials(
      identifier: context.invocation.operand(0) ?? "",
      password: try PasswordInput.password(context, isNew: false)
    )
    do {
      try credentials.validate(identifierIsEmail: backend.api.loginIdentifierIsEmail)
    } catch {
      throw ClientError(error, api: backend.api)
    }
    let info = try await context.client.signIn(to: backend) { controller throws(AuthError) in
      try await controller.login(credentials)
    }
    try await context.client.print(info, reason: nil)
  }
}

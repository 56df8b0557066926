internal import AuthNetworking

/// `profile remove NAME`.
package enum ProfileRemoveCommand: Command {
  package static let usesProfile = false

  package static let spec = CommandSpec(
    "profile remove",
    operands: ["NAME"],
    operandForms: ["NAME": .profile],
    options: [OptionSpec("yes", .flag, "do not ask; needed where there is no terminal to ask at")],
    summary: "sign a profile out and remove all that it holds",
    details: [
      "The server is told as far as it can be reached, as by logout. Then the session, every value "
        + "in the store, stores that were set aside, the settings and the key in the vault are gone "
        + "for good. It is refused while another process uses the profile."
    ],
    examples: ["profile remove work", "profile remove work --yes --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let name = try ProfileInput.name(context.invocation.operand(0), "NAME")
    let client = context.client.sibling(name)
    guard try PrivateFiles.exists(client.profile.path) else {
      throw ClientError(
        .notFound,
        "There is no profile \(name.rawValue)",
        advice: "profile list names those that there are"
      )
    }
    if !context.invocation.isOn("yes") { try confirm(name, context) }
    let removal = try await client.removeProfile()
    if let why = removal.why { context.console.note("The server was not told: \(why)") }
    try context.console.result(
      .members(["removed": .string(name.rawValue), "revoked": .bool(removal.isRevoked)]),
      "The profile \(name.rawValue) is gone"
    )
  }

  private static func confirm(
    _ name: ProfileName,
    _ context: CommandContext
  ) throws(ClientError) {
    let question = "Remove the profile \(name.rawValue), its session and all its values? [y/N] "
    guard let answer = try context.input.line(prompt: question) else {
      throw .usage("there is no terminal to ask at whether to remove it", advice: "Give --yes")
    }
    guard ["y", "yes"].contains(answer.lowercased().filter { $0 != " " }) else {
      throw ClientError(.usage, "Nothing was removed", advice: "Answer y to remove it")
    }
  }
}

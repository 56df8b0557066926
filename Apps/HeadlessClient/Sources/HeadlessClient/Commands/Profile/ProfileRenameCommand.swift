internal import AuthNetworking

/// `profile rename OLD NEW`.
package enum ProfileRenameCommand: Command {
  package static let usesProfile = false

  package static let spec = CommandSpec(
    "profile rename",
    operands: ["OLD", "NEW"],
    operandForms: ["OLD": .profile],
    summary: "give a profile another name, its session and values included",
    details: [
      "Happens as a whole or not at all. It is refused while another process uses the profile, "
        + "where NEW is taken, and where the vault finds the key by the profile's place, as "
        + "secret-service and kernel-keyring do."
    ],
    examples: ["profile rename default work"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let old = try ProfileInput.name(context.invocation.operand(0), "OLD")
    let new = try ProfileInput.name(context.invocation.operand(1), "NEW")
    guard old != new else { throw .usage("OLD and NEW are the same") }
    try await context.client.sibling(old).renameProfile(to: new)
    try context.console.result(
      .members(["profile": .string(new.rawValue), "renamed": .string(old.rawValue)]),
      "The profile \(old.rawValue) is called \(new.rawValue) now"
    )
  }
}

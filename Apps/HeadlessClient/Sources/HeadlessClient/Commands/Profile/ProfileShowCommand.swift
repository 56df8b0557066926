internal import AuthNetworking
internal import SecureStorage
internal import SessionModels

/// `profile show [NAME]`.
package enum ProfileShowCommand: Command {
  package static let usesProfile = false

  package static let spec = CommandSpec(
    "profile show",
    optionalOperands: ["NAME"],
    operandForms: ["NAME": .profile],
    summary: "show what a profile remembers, and whether it is signed in",
    details: [
      "Without NAME it is the one that --profile names. Pins and --ca-file are not remembered."
    ],
    examples: ["profile show", "profile show work --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    var name = context.settings.profile
    if let text = context.invocation.operand(0) { name = try ProfileInput.name(text, "NAME") }
    let client = context.client.sibling(name)
    let hold = try await client.holdProfile()
    defer { withExtendedLifetime(hold) {} }
    try client.secureHome()
    guard hold != nil else {
      throw ClientError(
        .notFound,
        "There is no profile \(name.rawValue)",
        advice: "profile list names those that there are; login makes one"
      )
    }
    let isCurrent = name == context.settings.profile
    let report = await ProfileReport(name, in: context.settings.home, isCurrent: isCurrent)
    let (state, detail, user) = await state(of: client)
    let title = "Profile \(name.rawValue): \(detail)"
    let rows = Rows.text(report.rows(now: context.client.parts.now()))
    await client.close()
    let members = report.members + [("state", .string(state))]
    try context.console.result(
      .object(JSONObject(members + (user.map { [("userID", .string($0))] } ?? []))),
      context.console.style.paint(title, .bold, on: .results) + "\n" + rows
    )
  }

  /// The state for programs, the same for people, and who is signed in.
  private static func state(
    of client: Composition
  ) async -> (state: String, detail: String, userID: String?) {
    do {
      let record = try await client.record()
      if let info = record.authInfo {
        let user = info.session.userID.rawValue
        return ("signedIn", "signed in as user \(Printable.text(user))", user)
      }
      return ("signedOut", "signed out", nil)
    } catch {
      if error.endsSession { return ("signedOut", "signed out: \(error.message)", nil) }
      return ("unknown", "unknown: \(error.message)", nil)
    }
  }
}

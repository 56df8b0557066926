internal import AuthNetworking

/// `sessions revoke ID` and `sessions revoke --others`.
package enum SessionsRevokeCommand: Command {
  package static let spec = CommandSpec(
    "sessions revoke",
    optionalOperands: ["ID"],
    options: [OptionSpec("others", .flag, "all of the user's sessions but this one")],
    summary: "end a session on the server, on whichever device it is",
    details: [
      "ID is one of sessions list. Its device is signed out by its next request. Where it is this "
        + "one, it is removed here too, as by logout.",
      "In the opaque model the last 6 characters that sessions list shows are enough, or more of "
        + "them where two sessions end alike.",
    ],
    examples: ["sessions revoke ses_vAqyj_S045NglusjJ7EW", "sessions revoke --others --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let isOthers = context.invocation.isOn("others")
    let id = context.invocation.operand(0)
    guard isOthers != (id != nil) else {
      throw .usage("name one session, or give --others", advice: "sessions list shows the ids")
    }
    if id == "" { throw .usage("the session's id is empty") }
    let controller = try await context.client.controller()
    let revoked: [String]
    if let id {
      let whole = try await OpaqueSessionID.whole(id, controller, context)
      try await withAuthErrors { () async throws(AuthError) in
        _ = try await controller.revokeSession(id: whole)
      }
      revoked = [whole]
    } else {
      let others = try await withAuthErrors { () async throws(AuthError) in
        try await controller.revokeOtherSessions()
      }
      try await OpaqueSessionID.conceal(others, context)
      revoked = others.map(\.id)
    }
    let isSignedIn = controller.state.isSignedIn
    try context.console.result(
      .members([
        "revoked": .array(revoked.map(JSONValue.string)),
        "state": .string(isSignedIn ? "signedIn" : "signedOut"),
      ]),
      text(revoked.count, isSignedIn: isSignedIn)
    )
  }

  private static func text(_ count: Int, isSignedIn: Bool) -> String {
    guard isSignedIn else { return "Signed out, here and on the server" }
    return switch count {
    case 0: "There is no other session"
    case 1: "Revoked 1 session"
    default: "Revoked \(count) sessions"
    }
  }
}

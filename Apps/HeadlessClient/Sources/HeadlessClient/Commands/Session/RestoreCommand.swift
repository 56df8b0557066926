internal import AuthNetworking
internal import SessionModels

/// `restore`: what an app does at launch.
package enum RestoreCommand: Command {
  package static let spec = CommandSpec(
    "restore",
    summary: "restore the session as an app does at launch",
    details: [
      "Refreshes where needed. Where the server cannot be asked the session stays, and is shown "
        + "as stale; the status is 0 all the same."
    ],
    examples: ["restore --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let controller = try await context.client.controller()
    let state = try await withAuthErrors { () async throws(AuthError) in
      try await controller.restore()
    }
    guard state.isSignedIn else { throw context.client.signedOutError(state) }
    try await context.client.printStatus(isStale: state == .signedIn(.stale))
  }
}

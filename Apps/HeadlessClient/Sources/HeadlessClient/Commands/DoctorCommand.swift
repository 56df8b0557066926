internal import AuthNetworking

/// `doctor`: checks everything that a session needs, and says what to do about each failure.
package enum DoctorCommand: Command {
  package static let spec = CommandSpec(
    "doctor",
    summary:
      "check vault, store, permissions, TLS, backend, clock, token and realtime, with advice",
    details: [
      "Each check passes (✓), fails (✗) or is skipped (–), where there is nothing to look at or an "
        + "earlier failure stands before it. What a failure advises ends with a command, where one "
        + "mends it: words in capitals are yours to fill in. With --json it stands under run, too, "
        + "and a skipped check is ok and has skipped.",
      "Where somebody is signed in and the backend answers, the token is tried by one request, which "
        + "refreshes it where any request would; a session that the server has ended ends here, too.",
      "The exit status is that of the worst failure: 74 storage and vault, 77 a session that has "
        + "ended, 75 network, TLS, clock, 69 a token that is refused.",
    ],
    examples: ["doctor", "doctor --json", "doctor --base-url https://staging.example.com"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    var failures: [ClientError] = []
    let checks = Diagnosis.checks(context)
    for check in checks {
      context.console.progress("checking \(check.name) …")
      let finding = await check.run()
      try context.console.result(
        .members([
          "check": .string(check.name), "ok": .bool(finding.failure == nil),
          "detail": .string(finding.detail),
          "advice": finding.remedy.map { .string($0.text) },
          "run": finding.remedy?.command.map(JSONValue.string),
          "skipped": finding.isSkipped ? .bool(true) : nil,
        ]),
        text(check.name, finding, context.console)
      )
      if let failure = finding.failure { failures.append(failure) }
    }
    guard let worst = failures.min(by: { $0.exitStatus.severity < $1.exitStatus.severity }) else {
      return
    }
    var summary = worst
    summary.message = "\(failures.count) of \(checks.count) checks failed"
    summary.advice = nil
    throw summary
  }

  private static func text(_ name: String, _ finding: Finding, _ console: Console) -> String {
    let mark =
      if finding.failure != nil {
        console.style.paint("✗", .bad, on: .results)
      } else if finding.isSkipped {
        console.style.paint("–", .dim, on: .results)
      } else {
        console.style.paint("✓", .good, on: .results)
      }
    let advice = finding.remedy.map { "\n    → \(Printable.text($0.text))" } ?? ""
    return "\(mark) \(name): \(Printable.text(finding.detail))\(advice)"
  }
}

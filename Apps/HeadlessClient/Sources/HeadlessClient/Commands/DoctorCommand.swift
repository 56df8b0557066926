internal import AuthNetworking

/// `doctor`: checks everything that a session needs, and says what to do about each failure.
package enum DoctorCommand: Command {
  package static let spec = CommandSpec(
    "doctor",
    summary: "check vault, store, permissions, TLS, backend, clock and realtime, with advice",
    examples: ["doctor", "doctor --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    var failures: [ClientError] = []
    for check in Diagnosis.checks {
      context.console.progress("checking \(check.name) …")
      let finding = await check.run(context)
      try context.console.result(
        .members([
          "check": .string(check.name), "ok": .bool(finding.failure == nil),
          "detail": .string(finding.detail), "advice": finding.advice.map(JSONValue.string),
        ]),
        text(check.name, finding, context.console)
      )
      if let failure = finding.failure { failures.append(failure) }
    }
    guard let worst = failures.min(by: { $0.exitStatus.severity < $1.exitStatus.severity }) else {
      return
    }
    var summary = worst
    summary.message = "\(failures.count) of \(Diagnosis.checks.count) checks failed"
    summary.advice = nil
    throw summary
  }

  private static func text(_ name: String, _ finding: Finding, _ console: Console) -> String {
    let mark =
      if finding.failure != nil {
        console.style.paint("✗", .bad, on: .results)
      } else if finding.isUnchecked {
        console.style.paint("–", .dim, on: .results)
      } else {
        console.style.paint("✓", .good, on: .results)
      }
    let advice = finding.advice.map { "\n    → \(Printable.text($0))" } ?? ""
    return "\(mark) \(name): \(Printable.text(finding.detail))\(advice)"
  }
}

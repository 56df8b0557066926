internal import AuthNetworking

/// `profile list`.
package enum ProfileListCommand: Command {
  package static let usesProfile = false

  package static let spec = CommandSpec(
    "profile list",
    summary: "list the profiles of this home",
    details: [
      "Shows what each remembers, and opens no store. The one that --profile names, or that is used "
        + "without it, is marked."
    ],
    examples: ["profile list", "profile list --json"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    try context.client.secureHome()
    var reports: [ProfileReport] = []
    for text in ProfileNames.all(in: context.settings.home) {
      guard let name = ProfileName(text) else { continue }
      let isCurrent = name == context.settings.profile
      reports.append(await ProfileReport(name, in: context.settings.home, isCurrent: isCurrent))
    }
    if context.console.style.json {
      for report in reports {
        try context.console.result(.object(JSONObject(report.members)), "")
      }
      return
    }
    guard !reports.isEmpty else { return context.console.note("There is no profile yet") }
    let now = context.client.parts.now()
    let table = Table(ProfileReport.headings, reports.map { $0.row(now: now) }, flexible: [1])
    try context.console.result(.null, table.text(context.console.style))
  }
}

/// Help, made from the same table that parsing uses, so that it lists exactly what works.
package struct HelpText {
  private let commands: [CommandSpec]
  private let globals: [OptionSpec]
  private let width: Int

  /// Help for a table of commands, for a terminal of some columns.
  package init(commands: [CommandSpec], globals: [OptionSpec], width: Int) {
    self.commands = commands
    self.globals = globals
    self.width = min(max(width, 40), 100)
  }

  /// Everything at a glance.
  package var overview: String {
    let statuses = ExitStatusTable.rows.map { ("\($0.0.rawValue)", $0.1) }
    return [
      wrapped("headless-client \(ClientVersion.number): the mobile auth core without a screen"),
      "Usage: headless-client [OPTION]… COMMAND [ARGUMENT]…",
      "To begin:\n\(HelpText.firstLines.map { "  headless-client \($0)" }.joined(separator: "\n"))",
      "Commands:\n\(rows(commands.map { ($0.synopsis, $0.summary) }))",
      globalSection,
      "Exit status:\n\(rows(statuses))",
      wrapped(HelpText.secrets),
      wrapped("“headless-client help COMMAND” says more about a command, with examples."),
    ].joined(separator: "\n\n")
  }

  /// A first session, from beginning to end.
  static let firstLines = [
    "login ada@example.com --base-url http://127.0.0.1:3001 --realtime-url http://127.0.0.1:3002",
    "messages send general 'Good morning'", "messages watch general", "logout",
  ]

  /// Where secrets come from.
  static let secrets =
    "A password is asked for without echo, or read with --password-stdin or from "
    + "HEADLESS_CLIENT_PASSWORD; the passphrase of the vault passphrase is asked for, or read "
    + "from HEADLESS_CLIENT_PASSPHRASE. One that is needed and not to be had is a matter of usage "
    + "(64); a store that stays locked for want of it is the vault's (74)."

  /// All about one command.
  package func command(_ spec: CommandSpec) -> String {
    var sections = [wrapped(HelpText.sentence(spec.summary)), usage(of: spec)]
    sections += spec.details.map(wrapped)
    if !spec.options.isEmpty {
      sections.append("Options:\n\(rows(spec.options.map(HelpText.row)))")
    }
    if !spec.examples.isEmpty {
      let lines = spec.examples.map { "  headless-client \($0)" }
      sections.append("Examples:\n\(lines.joined(separator: "\n"))")
    }
    let few = ["home", "profile", "json"].compactMap { name in
      globals.first { $0.name == name }?.synopsis
    }
    sections.append(
      wrapped(
        "Options of every command, such as \(few.joined(separator: ", ")), and the exit statuses "
          + "are listed by headless-client --help."
      )
    )
    return sections.joined(separator: "\n\n")
  }

  /// All about the commands that share a first word.
  package func group(_ name: String) -> String {
    let members = commands.filter { $0.path.first == name }
    return """
      Usage: headless-client \(name) COMMAND

      Commands:
      \(rows(members.map { ($0.synopsis, $0.summary) }))

      \(wrapped("“headless-client help \(name) COMMAND” says more about one, with examples."))
      """
  }

  private var globalSection: String {
    let title = wrapped(
      "Options of every command, before or after it; each also as HEADLESS_CLIENT_<NAME>:"
    )
    let options =
      globals.map(HelpText.row) + [("--help", "this help"), ("--version", "the version")]
    return "\(title)\n\(rows(options))"
  }

  private func usage(of spec: CommandSpec) -> String {
    let lines = TextWrap.lines(of: HelpText.usage(of: spec), room: width - 7)
    return "Usage: " + lines.joined(separator: "\n    ")
  }

  /// The pieces of a command line, each of which belongs on one line.
  static func usage(of spec: CommandSpec) -> [String] {
    ["headless-client \(spec.synopsis)"]
      + spec.options.map { option in
        option.isRequired
          ? option.synopsis : "[\(option.synopsis)]\(option.repeats ? "…" : "")"
      }
  }

  /// An option, and what it is for.
  static func row(_ option: OptionSpec) -> (String, String) {
    let fallback = option.fallback.map { " (default: \($0))" } ?? ""
    return (option.synopsis, option.summary + (option.repeats ? ", repeatable" : "") + fallback)
  }

  /// A summary as a sentence.
  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  private func wrapped(_ text: String) -> String { TextWrap.paragraph(text, room: width) }

  private func rows(_ rows: [(String, String)]) -> String {
    let indent = min(rows.map(\.0.count).max() ?? 0, width * 3 / 8) + 4
    let margin = String(repeating: " ", count: indent)
    return rows.map { name, text in
      let lines = TextWrap.lines(text, room: max(20, width - indent))
      let gap = indent - name.count - 2
      guard gap >= 2 else {
        return (["  \(name)"] + lines.map { margin + $0 }).joined(separator: "\n")
      }
      let first = "  \(name)\(String(repeating: " ", count: gap))\(lines.first ?? "")"
      return ([first] + lines.dropFirst().map { margin + $0 }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

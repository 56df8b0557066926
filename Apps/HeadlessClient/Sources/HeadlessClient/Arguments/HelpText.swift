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
    """
    headless-client \(ClientVersion.number): the mobile auth core without a screen

    Usage: headless-client [OPTION]… COMMAND [ARGUMENT]…

    Commands:
    \(rows(commands.map { ($0.synopsis, $0.summary) }))

    \(globalSection)

    A password is asked for without echo, or read with --password-stdin or from
    HEADLESS_CLIENT_PASSWORD; the passphrase of the vault passphrase is asked for, or
    read from HEADLESS_CLIENT_PASSPHRASE. “headless-client help COMMAND” says more about a command.
    """
  }

  /// All about one command.
  package func command(_ spec: CommandSpec) -> String {
    var sections = ["\(sentence(spec.summary))", "Usage: headless-client \(usage(of: spec))"]
    sections += spec.details.map { wrapped($0, indent: 0).joined(separator: "\n") }
    if !spec.options.isEmpty { sections.append("Options:\n\(rows(spec.options.map(row)))") }
    if !spec.examples.isEmpty {
      let lines = spec.examples.map { "  headless-client \($0)" }
      sections.append("Examples:\n\(lines.joined(separator: "\n"))")
    }
    let few = ["home", "profile", "json"].compactMap { name in
      globals.first { $0.name == name }?.synopsis
    }
    sections.append(
      wrapped(
        "Options of every command, such as \(few.joined(separator: ", ")), are listed by "
          + "headless-client --help.",
        indent: 0
      )
      .joined(separator: "\n")
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
      """
  }

  private var globalSection: String {
    """
    Options of every command, before or after it; each also as HEADLESS_CLIENT_<NAME>:
    \(rows(globals.map(row) + [("--help", "this help"), ("--version", "the version")]))
    """
  }

  private func usage(of spec: CommandSpec) -> String {
    let options = spec.options.map { "[\($0.synopsis)]\($0.repeats ? "…" : "")" }
    return ([spec.synopsis] + options).joined(separator: " ")
  }

  private func row(_ option: OptionSpec) -> (String, String) {
    let fallback = option.fallback.map { " (default: \($0))" } ?? ""
    return (option.synopsis, option.summary + (option.repeats ? ", repeatable" : "") + fallback)
  }

  private func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  private func rows(_ rows: [(String, String)]) -> String {
    let indent = min(rows.map(\.0.count).max() ?? 0, 30) + 4
    return rows.map { name, text in
      let lines = wrapped(text, indent: indent)
      let gap = indent - name.count - 2
      guard gap >= 2 else {
        let rest = lines.map { String(repeating: " ", count: indent) + $0 }
        return (["  \(name)"] + rest).joined(separator: "\n")
      }
      let first = "  \(name)\(String(repeating: " ", count: gap))\(lines.first ?? "")"
      let rest = lines.dropFirst().map { String(repeating: " ", count: indent) + $0 }
      return ([first] + rest).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private func wrapped(_ text: String, indent: Int) -> [String] {
    let room = max(20, width - indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > room {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return lines + [line]
  }
}

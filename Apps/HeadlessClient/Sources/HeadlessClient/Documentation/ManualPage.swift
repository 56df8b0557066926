/// The manual page, made from the same table as help, in the language of `man`.
struct ManualPage {
  private let commands: [CommandSpec]
  private let globals: [OptionSpec]

  /// The page of a table of commands.
  init(commands: [CommandSpec], globals: [OptionSpec]) {
    self.commands = commands
    self.globals = globals
  }

  /// The whole page.
  var text: String {
    let lines =
      [
        ".TH HEADLESS\\-CLIENT 1 \"\" \"headless\\-client \(Roff.text(ClientVersion.number))\"",
        // Ragged and without hyphens: names are to be found as they are written.
        ".nh", ".ad l", ".SH NAME", "headless\\-client \\- the mobile auth core without a screen",
        ".SH SYNOPSIS", ".B headless\\-client",
        "[\\fIOPTION\\fR]... \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...",
        ".SH DESCRIPTION",
      ] + Roff.paragraph(ManualPage.description) + [".PP"] + Roff.paragraph(HelpText.secrets)
      + [".SH COMMANDS"] + commands.flatMap(command)
      + [".SH OPTIONS", "Given before or after the command."] + globals.flatMap(option)
      + [
        ".TP", ".B \\-\\-help", "explain the program, or the command.", ".TP", ".B \\-\\-version",
        "print the version.",
      ] + [".SH ENVIRONMENT"] + Roff.paragraph(ManualPage.environment)
      + [".SH EXIT STATUS"] + ExitStatusTable.rows.flatMap(status)
      + [".SH FILES", ".TP", ".I ~/.local/share/headless\\-client"]
      + Roff.paragraph(ManualPage.files)
    return lines.joined(separator: "\n")
  }

  private static let description =
    "Signs in, keeps the session, sends authenticated requests and group messages, and stores "
    + "values encrypted, as an app on the mobile auth core does. Results go to standard output, "
    + "all else to standard error; with --json each result is one JSON object on a line."

  private static let environment =
    "Each option of every command can be given as HEADLESS_CLIENT_ and its name in upper case with "
    + "underscores, as HEADLESS_CLIENT_BASE_URL; the option wins. NO_COLOR turns colours off."

  private static let files =
    "The home, unless --home or XDG_DATA_HOME says otherwise: profiles/NAME holds a profile's "
    + "encrypted store and settings."

  private func command(_ spec: CommandSpec) -> [String] {
    var lines = [".SS \(Roff.text(spec.name))"]
    lines += HelpText.usage(of: spec).map { ".B \(Roff.text($0))" } + [".PP"]
    lines += Roff.paragraph(HelpText.sentence(spec.summary))
    for detail in spec.details { lines += [".PP"] + Roff.paragraph(detail) }
    lines += spec.options.flatMap(option)
    guard !spec.examples.isEmpty else { return lines }
    return lines + [".PP", "Examples:", ".PP", ".nf", ".RS 4"]
      + spec.examples.map { Roff.line("headless-client \($0)") } + [".RE", ".fi"]
  }

  private func option(_ option: OptionSpec) -> [String] {
    let (name, text) = HelpText.row(option)
    return [".TP", ".B \(Roff.text(name))"] + Roff.paragraph(text + ".")
  }

  private func status(_ status: CommandStatus, _ text: String) -> [String] {
    [".TP", ".B \(status.rawValue)"] + Roff.paragraph(text + ".")
  }
}

internal import AuthNetworking

/// `help [COMMAND]`.
package enum HelpCommand: Command {
  package static let usesProfile = false

  package static let spec = CommandSpec(
    "help",
    optionalOperands: ["COMMAND", "SUBCOMMAND"],
    operandForms: ["COMMAND": .commands, "SUBCOMMAND": .commands],
    options: [OptionSpec("man", .flag, "print the manual page, for man -l -")],
    summary: "say more about a command",
    details: [
      "The manual page holds all of help. Read it with: headless-client help --man | man -l -"
    ],
    examples: ["help request", "help store set", "help --man"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let words = context.invocation.operands
    if context.invocation.isOn("man") {
      guard words.isEmpty else {
        throw .usage("--man prints the whole manual, and takes no command")
      }
      let page = ManualPage(commands: context.table, globals: GlobalOptions.all).text
      return try context.console.result(.members(["man": .string(page)]), page)
    }
    let help = HelpText(
      commands: context.table,
      globals: GlobalOptions.all,
      width: context.console.style.width
    )
    let text = try text(for: words, in: help, context.table)
    try context.console.result(.members(["help": .string(text)]), text)
  }

  private static func text(
    for words: [String],
    in help: HelpText,
    _ table: [CommandSpec]
  ) throws(ClientError) -> String {
    guard let first = words.first else { return help.overview }
    if let spec = table.first(where: { $0.path == words }) { return help.command(spec) }
    if words.count == 1, table.contains(where: { $0.path.first == first }) {
      return help.group(first)
    }
    let name = words.joined(separator: " ")
    let nearest = Suggestion.closest(to: name, among: table.map(\.name))
    throw .usage(
      "unknown command “\(name)”",
      advice: nearest.map { "Did you mean \($0)?" } ?? "Run headless-client --help for the list"
    )
  }
}

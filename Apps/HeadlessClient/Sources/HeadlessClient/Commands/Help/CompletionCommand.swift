internal import AuthNetworking

/// `completion SHELL`.
package enum CompletionCommand: Command {
  package static let usesProfile = false

  package static let spec = CommandSpec(
    "completion",
    operands: ["SHELL"],
    furtherOperands: "WORD",
    operandForms: ["SHELL": .words(CompletionShell.allCases.map(\.rawValue))],
    summary: "print what makes TAB complete commands, options and profiles",
    details: [
      "SHELL is bash, zsh or fish. Load it \(CompletionShell.bash.loading); "
        + "\(CompletionShell.zsh.loading); \(CompletionShell.fish.loading)",
      "With words after -- it prints what could stand in the place of the last of them, one a "
        + "line: that is what the shell's script asks for.",
    ],
    examples: ["completion bash", "completion bash -- store re"]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let name = context.invocation.operand(0) ?? ""
    guard let shell = CompletionShell(rawValue: name) else {
      let names = CompletionShell.allCases.map(\.rawValue)
      throw .usage(
        "SHELL must be one of \(names.joined(separator: ", "))",
        advice: Suggestion.closest(to: name, among: names).map { "Did you mean \($0)?" }
      )
    }
    let words = Array(context.invocation.operands.dropFirst())
    guard !words.isEmpty else {
      return try context.console.result(
        .members(["shell": .string(name), "script": .string(shell.script)]),
        shell.script
      )
    }
    let answer = Completion(commands: context.table, globals: GlobalOptions.all)
      .answer(to: words) { ProfileNames.all(in: context.settings.home) }
    for line in shell.lines(answer) {
      try context.console.result(.members(["candidate": .string(line)]), line)
    }
  }
}

/// The words that may come next in a command's name.
enum CommandWords {
  /// The words after those that stand already, each once, in the order of the table.
  static func after(
    _ path: [String],
    in commands: [CommandSpec]
  ) -> [CompletionAnswer.Candidate] {
    var candidates: [CompletionAnswer.Candidate] = []
    for command in commands where command.path.starts(with: path) {
      guard let word = command.path.dropFirst(path.count).first,
        !candidates.contains(where: { $0.word == word })
      else { continue }
      let isWhole = command.path.count == path.count + 1
      candidates.append(
        .init(word: word, summary: isWhole ? command.summary : members(path + [word], commands))
      )
    }
    return candidates
  }

  private static func members(_ path: [String], _ commands: [CommandSpec]) -> String {
    commands.filter { $0.path.starts(with: path) }.compactMap(\.path.last).joined(separator: ", ")
  }
}

/// Finds what could stand in the place of a command line's last word, by the table that parsing
/// uses.
///
/// It follows the words as the parser does, but forgives what is wrong in them: the line is not
/// finished yet.
struct Completion {
  private let commands: [CommandSpec]
  private let globals: [OptionSpec]

  private var command: CommandSpec?
  private var group: String?
  private var operands: [String] = []
  private var given: Set<String> = []
  private var optionsAreOver = false
  /// The option whose value comes next.
  private var pending: OptionSpec?

  /// A completion for a table of commands.
  init(commands: [CommandSpec], globals: [OptionSpec]) {
    self.commands = commands
    self.globals = globals
  }

  /// What could stand in the last word's place.
  ///
  /// - Parameters:
  ///   - words: the line without the program's name; the last one is what was typed of the word
  ///     in question, which may be nothing.
  ///   - profiles: names the profiles that there are.
  /// - Returns: what begins with what was typed.
  consuming func answer(
    to words: [String],
    profiles: () -> [String]
  ) -> CompletionAnswer {
    for word in words.dropLast() { take(word) }
    let typed = words.last ?? ""
    if let pending { return values(of: pending.form, typed, prefix: "", profiles) }
    if !optionsAreOver, typed.hasPrefix("-") { return option(typed, profiles) }
    guard let command else { return beginning(with: typed, commandWords) }
    return operand(of: command, typed, profiles)
  }

  // MARK: The words before

  private mutating func take(_ word: String) {
    if pending != nil {
      pending = nil
    } else if optionsAreOver || word == "-" || !word.hasPrefix("-") {
      takeWord(word)
    } else if word == "--" {
      optionsAreOver = true
    } else {
      let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
      given.insert(name)
      guard !word.contains("="), let option = known.first(where: { $0.name == name }) else {
        return
      }
      if case .flag = option.form { return }
      pending = option
    }
  }

  private mutating func takeWord(_ word: String) {
    guard command == nil else { return operands.append(word) }
    let path = (group.map { [$0] } ?? []) + [word]
    command = commands.first { $0.path == path }
    if command == nil, group == nil, commands.contains(where: { $0.path.first == word }) {
      group = word
    }
  }

  private var known: [OptionSpec] { (command?.options ?? []) + globals }

  // MARK: The word in question

  private var commandWords: [CompletionAnswer.Candidate] {
    CommandWords.after(group.map { [$0] } ?? [], in: commands)
  }

  private func option(_ typed: String, _ profiles: () -> [String]) -> CompletionAnswer {
    if let equals = typed.firstIndex(of: "=") {
      let name = typed[..<equals].drop { $0 == "-" }
      guard let option = known.first(where: { $0.name == name }) else { return .words([]) }
      return values(
        of: option.form,
        String(typed[typed.index(after: equals)...]),
        prefix: String(typed[...equals]),
        profiles
      )
    }
    let options = known.filter { $0.repeats || !given.contains($0.name) }.map { option in
      CompletionAnswer.Candidate(word: "--\(option.name)", summary: option.summary)
    }
    return beginning(
      with: typed,
      options + [
        .init(word: "--help", summary: "explain the command"),
        .init(word: "--version", summary: "print the version"),
      ]
    )
  }

  private func operand(
    of command: CommandSpec,
    _ typed: String,
    _ profiles: () -> [String]
  ) -> CompletionAnswer {
    let names = command.operands + command.optionalOperands
    guard operands.count < names.count else { return .words([]) }
    switch command.operandForms[names[operands.count]] {
    case nil: return .words([])
    case .words(let words): return beginning(with: typed, plain(words))
    case .profile: return beginning(with: typed, plain(profiles()))
    case .commands:
      return beginning(with: typed, CommandWords.after(operands, in: commands))
    }
  }

  private func values(
    of form: ValueForm,
    _ typed: String,
    prefix: String,
    _ profiles: () -> [String]
  ) -> CompletionAnswer {
    switch form {
    case .file: return .files
    case .directory: return .directories
    case .flag, .text, .integer, .seconds: return .words([])
    case .profile: return beginning(with: prefix + typed, plain(profiles(), prefix: prefix))
    case .choice(_, let words, _):
      return beginning(with: prefix + typed, plain(words, prefix: prefix))
    }
  }

  private func plain(
    _ words: [String],
    prefix: String = ""
  ) -> [CompletionAnswer.Candidate] {
    words.map { .init(word: prefix + $0, summary: "") }
  }

  private func beginning(
    with typed: String,
    _ candidates: [CompletionAnswer.Candidate]
  ) -> CompletionAnswer {
    .words(candidates.filter { $0.word.hasPrefix(typed) })
  }
}

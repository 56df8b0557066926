/// Takes a command line apart by the table: global options before or after the command, `--`
/// ends the options, and what is unknown is refused with the nearest word.
package struct ArgumentParser {
  private let commands: [CommandSpec]
  private let globals: [OptionSpec]

  private var command: CommandSpec?
  private var group: String?
  private var operands: [String] = []
  private var values: [String: [String]] = [:]
  private var wantsHelp = false
  private var wantsVersion = false

  /// A parser for a table of commands.
  package init(commands: [CommandSpec], globals: [OptionSpec]) {
    self.commands = commands
    self.globals = globals
  }

  /// Reads a command line; the environment fills in global options that it does not give.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - environment: the process's.
  /// - Returns: the line, checked against the table.
  /// - Throws: ``ClientError`` of code `usage`.
  package consuming func parse(
    _ arguments: [String],
    environment: [String: String]
  ) throws(ClientError) -> Invocation {
    var index = 0
    var optionsAreOver = false
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if optionsAreOver || argument == "-" || !argument.hasPrefix("-") {
        try takeWord(argument)
      } else if argument == "--" {
        optionsAreOver = true
      } else {
        try takeOption(argument, rest: arguments[index...], taken: &index)
      }
    }
    try readEnvironment(environment)
    let invocation = Invocation(
      command: command,
      operands: operands,
      values: values,
      wantsHelp: wantsHelp,
      wantsVersion: wantsVersion,
      group: group
    )
    if !wantsHelp, !wantsVersion { try checkWords() }
    return invocation
  }

  private mutating func takeWord(_ word: String) throws(ClientError) {
    if command != nil {
      operands.append(word)
      return
    }
    let path = (group.map { [$0] } ?? []) + [word]
    if let found = commands.first(where: { $0.path == path }) {
      command = found
      return
    }
    if group == nil, commands.contains(where: { $0.path.count > 1 && $0.path.first == word }) {
      group = word
      return
    }
    throw .usage(
      "unknown command \(quoted(path.joined(separator: " ")))",
      advice: meant(by: word, path).map { "Did you mean \($0)?" }
        ?? "Run headless-client \(group.map { "help \($0)" } ?? "--help") for the list"
    )
  }

  /// The command that a word stands for, which is no command by itself.
  private func meant(by word: String, _ path: [String]) -> String? {
    if group == nil {
      // The half of a name, or another one for the same thing, is no slip of a third word's.
      let named = commands.filter {
        $0.otherNames.contains(word) || ($0.path.count > 1 && $0.path.last == word)
      }
      if !named.isEmpty { return named.map(\.name).joined(separator: " or ") }
    }
    let candidates = commands.filter { $0.path.starts(with: path.dropLast()) }
      .compactMap { $0.path.dropFirst(path.count - 1).first }
    return Suggestion.closest(to: word, among: candidates)
      .map { (path.dropLast() + [$0]).joined(separator: " ") }
  }

  private mutating func takeOption(
    _ argument: String,
    rest: ArraySlice<String>,
    taken: inout Int
  ) throws(ClientError) {
    if argument == "-h" {
      wantsHelp = true
      return
    }
    guard argument.hasPrefix("--") else {
      throw .usage(
        "unknown option \(quoted(argument))",
        advice: valueAdvice ?? suggestion(for: argument)
      )
    }
    let parts = argument.dropFirst(2).split(
      separator: "=",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let name = parts.first.map(String.init) ?? ""
    let given = parts.count == 2 ? String(parts[1]) : nil
    if name == "help" || name == "version" {
      guard given == nil else { throw .usage("--\(name) takes no value") }
      wantsHelp = wantsHelp || name == "help"
      wantsVersion = wantsVersion || name == "version"
      return
    }
    guard let option = known.first(where: { $0.name == name }) else {
      throw .usage("unknown option \(quoted("--" + name))", advice: suggestion(for: name))
    }
    guard case .flag = option.form else {
      let value: String
      if let given { value = given } else { value = try following(option, rest) }
      if given == nil { taken += 1 }
      if let fault = option.form.fault(in: value) {
        throw .usage("--\(name) \(fault)")
      }
      values[name, default: []].append(value)
      return
    }
    guard given == nil else { throw .usage("--\(name) takes no value") }
    values[name] = ["1"]
  }

  /// What to do where an operand that begins with a dash was meant; nil where none can follow.
  private var valueAdvice: String? {
    guard let command else { return nil }
    let names = command.operands + command.optionalOperands
    guard operands.count < names.count else { return nil }
    let name = names[operands.count].prefix { $0 != "|" }
    return "Where it is meant as \(name), write -- before it"
  }

  private func following(
    _ option: OptionSpec,
    _ rest: ArraySlice<String>
  ) throws(ClientError) -> String {
    guard let value = rest.first, value == "-" || !value.hasPrefix("--") else {
      throw .usage("\(option.synopsis) needs its value", advice: "Write --\(option.name)=VALUE")
    }
    return value
  }

  private mutating func readEnvironment(_ environment: [String: String]) throws(ClientError) {
    for option in globals where values[option.name] == nil {
      let name = option.environmentName
      guard let text = environment[name], !text.isEmpty else { continue }
      let parts = option.repeats ? text.split(whereSeparator: \.isListSeparator) : [text[...]]
      for part in parts {
        let value = String(part)
        if let fault = option.form.fault(in: value) { throw .usage("\(name) \(fault)") }
        if case .flag = option.form {
          if ValueForm.truth(value) == true { values[option.name] = ["1"] }
        } else {
          values[option.name, default: []].append(value)
        }
      }
    }
  }

  private func checkWords() throws(ClientError) {
    guard let command else {
      let choices = commands.filter { $0.path.first == group }.compactMap(\.path.last)
      if let group {
        throw .usage("\(group) needs one of: \(choices.joined(separator: ", "))")
      }
      throw .usage("no command given", advice: "Run headless-client --help for the list")
    }
    if operands.count < command.operands.count {
      throw .usage(
        "\(command.name) needs \(command.operands[operands.count])",
        advice: "Write headless-client \(command.synopsis)"
      )
    }
    let most = command.operands.count + command.optionalOperands.count
    if operands.count > most, command.furtherOperands == nil {
      throw .usage(
        "\(command.name) does not take \(quoted(operands[most]))",
        advice: "Write headless-client \(command.synopsis)"
          + (most > 0 ? ", with quotes around what has spaces" : "")
      )
    }
  }

  private var known: [OptionSpec] { (command?.options ?? []) + globals }

  private func suggestion(for name: String) -> String {
    let bare = String(name.drop { $0 == "-" })
    if let nearest = Suggestion.closest(to: bare, among: known.map(\.name) + ["help", "version"]) {
      return "Did you mean --\(nearest)?"
    }
    let owner = commands.first { spec in spec.options.contains { $0.name == bare } }
    if let owner, owner.path != command?.path {
      return "It belongs to \(owner.name), and goes after that word"
    }
    if let valueAdvice { return valueAdvice }
    return "Run headless-client \(command.map { "help \($0.name)" } ?? "--help") for the list"
  }

  private func quoted(_ text: String) -> String { "“\(text)”" }
}

extension Character {
  fileprivate var isListSeparator: Bool { self == "," || isWhitespace }
}

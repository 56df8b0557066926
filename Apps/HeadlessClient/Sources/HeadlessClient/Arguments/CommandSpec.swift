/// One command: what parsing, help and documentation say about it.
package struct CommandSpec: Sendable {
  /// The words that name it, as `["messages", "watch"]`.
  package let path: [String]
  /// The operands that must be given, in order, as `["GROUP"]`.
  package let operands: [String]
  /// The operands that may follow them.
  package let optionalOperands: [String]
  /// What any number of further words are, as `WORD`; nil where none may follow.
  package let furtherOperands: String?
  /// What may stand for operands, by their names, for completion.
  package let operandForms: [String: OperandForm]
  /// Its own options; the global ones come on top.
  package let options: [OptionSpec]
  /// What people may call it, who are told its name then.
  package let otherNames: [String]
  /// What it does, in a few words.
  package let summary: String
  /// What else to know, one paragraph an element.
  package let details: [String]
  /// Command lines that work, without the program's name.
  package let examples: [String]

  /// A command from its parts.
  package init(
    _ name: String,
    operands: [String] = [],
    optionalOperands: [String] = [],
    furtherOperands: String? = nil,
    operandForms: [String: OperandForm] = [:],
    options: [OptionSpec] = [],
    otherNames: [String] = [],
    summary: String,
    details: [String] = [],
    examples: [String] = []
  ) {
    path = name.split(separator: " ").map(String.init)
    self.operands = operands
    self.optionalOperands = optionalOperands
    self.furtherOperands = furtherOperands
    self.operandForms = operandForms
    self.options = options
    self.otherNames = otherNames
    self.summary = summary
    self.details = details
    self.examples = examples
  }

  /// The words that name it, in one string.
  package var name: String { path.joined(separator: " ") }

  /// How it is written, as `messages send GROUP TEXT`.
  package var synopsis: String {
    let further = furtherOperands.map { ["[-- \($0)…]"] } ?? []
    return ([name] + operands + optionalOperands.map { "[\($0)]" } + further)
      .joined(separator: " ")
  }
}

/// What stands for an operand.
package enum OperandForm: Equatable, Sendable {
  /// One of these words.
  case words([String])
  /// The words that name a command.
  case commands
  /// The name of a profile.
  case profile
}

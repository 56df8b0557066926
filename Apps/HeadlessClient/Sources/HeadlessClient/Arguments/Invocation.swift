/// A command line, taken apart and checked against the table.
package struct Invocation: Sendable {
  /// Which command; nil where only help or the version is asked for.
  package var command: CommandSpec?
  /// The words given to it.
  package var operands: [String]
  /// Each option's values in their order, by name; a flag has the value `1`.
  package var values: [String: [String]]
  /// Whether help is asked for instead.
  package var wantsHelp = false
  /// Whether the version is asked for instead.
  package var wantsVersion = false
  /// The first word of a group such as `store`, where help is asked for all of it.
  package var group: String?

  /// Whether a flag is on.
  package func isOn(_ name: String) -> Bool { values[name] != nil }

  /// An option's value; of one that was given several times, the last.
  package func value(_ name: String) -> String? { values[name]?.last }

  /// All values that an option was given, in order.
  package func all(_ name: String) -> [String] { values[name] ?? [] }

  /// A whole number that the parser has checked already.
  package func integer(_ name: String) -> Int? { value(name).flatMap { Int($0) } }

  /// An operand by position, or nil where it was not given.
  package func operand(_ index: Int) -> String? {
    operands.indices.contains(index) ? operands[index] : nil
  }
}

/// What a command works with.
package struct CommandContext {
  /// The command line.
  package let invocation: Invocation
  /// The global options, read and checked.
  package let settings: GlobalSettings
  /// Where it prints.
  package let console: Console
  /// What a person types.
  package let input: any InputSource
  /// The environment.
  package let environment: [String: String]
  /// The packages, put together when they are first needed.
  package let client: Composition
  /// All commands of the program, for help.
  package let table: [CommandSpec]
  /// What Ctrl-C has to do besides ending the command; nil in tests.
  package let interruptions: Interruptions?
}

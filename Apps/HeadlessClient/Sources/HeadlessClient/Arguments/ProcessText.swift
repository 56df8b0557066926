/// Texts that the process was given, of which some are not UTF-8 and were repaired.
///
/// What was repaired is another text than the one meant, so none of it may be used.
package struct ProcessText: Sendable {
  /// The arguments without the program's name, repaired where need be.
  package var arguments: [String]
  /// Which of them were repaired, by their place.
  package var repairedArguments: Set<Int> = []
  /// The names of the environment's variables that were repaired.
  package var repairedVariables: [String] = []

  /// Arguments that need no repair.
  package init(_ arguments: [String]) { self.arguments = arguments }

  /// Refuses a variable that is meant for this program.
  ///
  /// - Throws: ``ClientError`` of code `usage`.
  func checkVariables() throws(ClientError) {
    let ours = repairedVariables.filter { $0.hasPrefix("HEADLESS_CLIENT_") }.sorted()
    guard let name = ours.first else { return }
    throw .usage("\(name) is not valid UTF-8", advice: "Nothing was changed")
  }

  /// Refuses repaired arguments: input where it is the command's own words, usage elsewhere.
  ///
  /// - Throws: ``ClientError`` of code `invalidInput` or `usage`.
  func checkArguments(_ invocation: Invocation) throws(ClientError) {
    guard let place = repairedArguments.min() else { return }
    let isInput = invocation.operands.contains(arguments[place])
    throw ClientError(
      isInput ? .invalidInput : .usage,
      "Argument \(place + 1) is not valid UTF-8",
      advice: isInput
        ? "Bytes that are no text are read from standard input; nothing was changed"
        : "Nothing was changed"
    )
  }
}

/// Lines that a person can give to a shell as they are.
struct ShellLine {
  /// The global options that the command has, by name, from its line or from the environment.
  private let values: [String: [String]]
  private let environment: [String: String]

  init(_ context: CommandContext) {
    self.init(values: context.invocation.values, environment: context.environment)
  }

  init(values: [String: [String]], environment: [String: String]) {
    (self.values, self.environment) = (values, environment)
  }

  /// A command of this program, for the home and the profile that this one was given.
  func own(_ words: String) -> String {
    let options = ["home", "profile"].compactMap { name -> String? in
      guard let value = values[name]?.last, isOnLine(name) else { return nil }
      return "--\(name) \(ShellLine.quoted(value))"
    }
    return (["headless-client", words] + options).joined(separator: " ")
  }

  /// Gives a global option another value: for all commands of this shell where it came from there,
  /// else for the next look of `doctor`, since what stands on the line wins.
  func setting(_ name: String, to value: String) -> String {
    isOnLine(name)
      ? own("doctor --\(name) \(value)") : "export \(ShellLine.variable(name))=\(value)"
  }

  /// Takes a global option back, whose remembered value is the better one.
  func withoutSetting(_ name: String) -> String {
    isOnLine(name) ? own("doctor") : "unset \(ShellLine.variable(name))"
  }

  private func isOnLine(_ name: String) -> Bool {
    guard let value = values[name]?.last else { return false }
    return environment[ShellLine.variable(name)] != value
  }

  private static func variable(_ option: String) -> String {
    "HEADLESS_CLIENT_" + option.uppercased().replacing("-", with: "_")
  }

  /// A word as the shell takes it literally.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: "/._-:@%+,".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }
}

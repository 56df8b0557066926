/// What the command line of `dev-backend` asks for.
public struct BackendOptions: Sendable {
  /// How log lines are written.
  public enum LogFormat: String, Sendable, CaseIterable {
    /// `time level event request=… name=value …`, for people.
    case text
    /// One JSON object a line, for programs.
    case json
  }

  /// The backend to run.
  public var configuration = BackendConfiguration()
  /// How log lines are written.
  public var logFormat = LogFormat.text
  /// How long requests in hand may take when it is stopped.
  public var drainLimit = Duration.seconds(10)
  /// Whether the line that says where it listens is JSON.
  public var usesJSON = false
  /// Whether log lines are left out.
  public var isQuiet = false

  /// The defaults.
  public init() {}
}

/// What to do about a command line.
public enum BackendCommand: Sendable {
  /// Run a backend until SIGTERM or SIGINT.
  case run(BackendOptions)
  /// Print the help on standard output, and end with status 0.
  case help
  /// Print the version on standard output, and end with status 0.
  case version
  /// Print the message on standard error, and end with status 64.
  case misuse(String)

  /// The command of the arguments, without the program's own name.
  ///
  /// - Parameters:
  ///   - arguments: what stands on the command line; it wins over the environment.
  ///   - environment: `DEV_BACKEND_<OPTION>` for each option; other variables are passed over.
  public init(arguments: [String], environment: [String: String] = [:]) {
    do {
      self = try OptionParser(arguments, environment).parse()
    } catch {
      self = .misuse("dev-backend: \(error.message)\nTry 'dev-backend --help'.")
    }
  }
}

/// Takes arguments apart, `--name value` and `--name=value` alike.
struct OptionParser {
  private var rest: ArraySlice<String>
  private let environment: [String: String]

  init(_ arguments: [String], _ environment: [String: String] = [:]) {
    (rest, self.environment) = (arguments[...], environment)
  }

  func parse() throws(OptionMisuse) -> BackendCommand {
    var parser = self
    var draft = OptionDraft()
    // Help is given whatever else is wrong.
    if rest.contains("--help") || rest.contains("-h") { return .help }
    if rest.contains("--version") { return .version }
    try applyEnvironment(to: &draft)
    while let argument = parser.rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = OptionTable.all.first(where: { $0.name == name }) else {
        throw OptionMisuse(message: "no such option: \(argument)")
      }
      var text = parts.count > 1 ? String(parts[1]) : nil
      if option.value == nil {
        if text != nil { throw OptionMisuse(message: "\(name) takes no value") }
      } else {
        text = text ?? parser.rest.popFirst()
        if text?.isEmpty != false { throw OptionMisuse(message: "\(name) needs a value after it") }
      }
      try Self.apply(option, text ?? "", name, &draft)
    }
    return .run(try draft.finished())
  }

  private func applyEnvironment(to draft: inout OptionDraft) throws(OptionMisuse) {
    for option in OptionTable.all {
      guard let text = environment[option.variable], !text.isEmpty else { continue }
      if option.value == nil {
        guard text == "1" || text == "0" else {
          throw OptionMisuse(message: "\(option.variable) must be 1 or 0, not '\(text)'")
        }
        if text == "0" { continue }
      }
      try Self.apply(option, text, option.variable, &draft)
    }
  }

  private static func apply(
    _ option: BackendOption,
    _ text: String,
    _ name: String,
    _ draft: inout OptionDraft
  ) throws(OptionMisuse) {
    do {
      try option.apply(text, &draft)
    } catch {
      throw OptionMisuse(message: "\(name) \(error.message)")
    }
  }
}

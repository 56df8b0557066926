/// What the command line of `dev-backend` asks for.
public struct BackendOptions: Sendable {
  /// The backend to run.
  public var configuration = BackendConfiguration()
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
  public init(arguments: [String]) {
    do {
      self = try OptionParser(arguments).parse()
    } catch {
      self = .misuse("dev-backend: \(error.message)\nTry 'dev-backend --help'.")
    }
  }
}

/// Takes arguments apart, `--name value` and `--name=value` alike.
struct OptionParser {
  struct Misuse: Error {
    let message: String
  }

  private var rest: ArraySlice<String>

  init(_ arguments: [String]) { rest = arguments[...] }

  func parse() throws(Misuse) -> BackendCommand {
    var parser = self
    var options = BackendOptions()
    var certificate: String?
    var key: String?
    while let argument = parser.rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      let inline = parts.count > 1 ? String(parts[1]) : nil
      switch name {
      case "--help", "-h": return .help
      case "--version": return .version
      case "--json": options.usesJSON = true
      case "--quiet": options.isQuiet = true
      case "--seed-demo-data": options.configuration.seedsDemoData = true
      case "--host": options.configuration.host = try parser.value(name, inline)
      case "--port": options.configuration.port = try parser.port(name, inline)
      case "--realtime-port": options.configuration.realtimePort = try parser.port(name, inline)
      case "--database": options.configuration.database = try parser.database(name, inline)
      case "--access-ttl": options.configuration.accessLifetime = try parser.seconds(name, inline)
      case "--refresh-ttl": options.configuration.refreshLifetime = try parser.seconds(name, inline)
      case "--refresh-grace":
        options.configuration.refreshGrace = try parser.seconds(name, inline, least: 0)
      case "--token-model": options.configuration.tokenModel = try parser.model(name, inline)
      case "--tls-cert": certificate = try parser.value(name, inline)
      case "--tls-key": key = try parser.value(name, inline)
      default: throw Misuse(message: "no such option: \(argument)")
      }
    }
    switch (certificate, key) {
    case (nil, nil): break
    case (let certificate?, let key?):
      options.configuration.tls = .init(certificateFile: certificate, keyFile: key)
    default: throw Misuse(message: "give --tls-cert and --tls-key together")
    }
    return .run(options)
  }

  private mutating func value(_ name: String, _ inline: String?) throws(Misuse) -> String {
    guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
      throw Misuse(message: "\(name) needs a value after it")
    }
    return value
  }

  private mutating func port(_ name: String, _ inline: String?) throws(Misuse) -> UInt16 {
    let text = try value(name, inline)
    guard let port = UInt16(text) else {
      throw Misuse(message: "\(name) must be a number from 0 to 65535, not '\(text)'")
    }
    return port
  }

  private mutating func seconds(
    _ name: String,
    _ inline: String?,
    least: Int64 = 1
  ) throws(Misuse) -> Duration {
    let text = try value(name, inline)
    // A hundred years; beyond that an expiry is no date any more.
    guard let seconds = Int64(text), (least...3_155_760_000).contains(seconds) else {
      throw Misuse(message: "\(name) must be whole seconds from \(least) on, not '\(text)'")
    }
    return .seconds(seconds)
  }

  private mutating func database(_ name: String, _ inline: String?) throws(Misuse) -> String? {
    let text = try value(name, inline)
    if text.contains("://") {
      throw Misuse(message: "\(name) takes the name of a SQLite file, not a URL")
    }
    return text == ":memory:" ? nil : text
  }

  private mutating func model(
    _ name: String,
    _ inline: String?
  ) throws(Misuse) -> BackendConfiguration.TokenModel {
    let text = try value(name, inline)
    guard let model = BackendConfiguration.TokenModel(rawValue: text) else {
      throw Misuse(message: "\(name) must be access-refresh or opaque, not '\(text)'")
    }
    return model
  }
}

import Testing

@testable import DevBackend

/// The command line.
@Suite struct OptionTests {
  private func options(_ arguments: String...) throws -> BackendOptions {
    guard case .run(let options) = BackendCommand(arguments: arguments) else {
      throw TestClient.NoAnswer()
    }
    return options
  }

  @Test func `without options the defaults of the guide hold`() throws {
    let configuration = try options().configuration
    #expect(configuration.port == 3001)
    #expect(configuration.realtimePort == 3002)
    #expect(configuration.host == "127.0.0.1")
    #expect(configuration.database == nil)
    #expect(configuration.accessLifetime == .seconds(15 * 60))
    #expect(configuration.refreshLifetime == .seconds(2 * 24 * 60 * 60))
    #expect(configuration.tokenModel == .accessRefresh)
    #expect(!configuration.seedsDemoData)
    #expect(configuration.passwordCost == .interactive)
  }

  @Test func `every option is taken, with a space or an equals sign`() throws {
    let options = try options(
      "--port=0",
      "--realtime-port",
      "65535",
      "--database",
      "x=y.db",
      "--access-ttl",
      "1",
      "--refresh-ttl=60",
      "--refresh-grace",
      "0",
      "--token-model",
      "opaque",
      "--tls-cert",
      "c",
      "--tls-key",
      "k",
      "--seed-demo-data",
      "--host",
      "::1",
      "--json",
      "--quiet",
      "--max-body=4096",
      "--log-format",
      "json"
    )
    let configuration = options.configuration
    #expect(configuration.port == 0)
    #expect(configuration.realtimePort == 65_535)
    #expect(configuration.database == "x=y.db")
    #expect(configuration.accessLifetime == .seconds(1))
    #expect(configuration.refreshLifetime == .seconds(60))
    #expect(configuration.refreshGrace == .zero)
    #expect(configuration.tokenModel == .opaque)
    #expect(configuration.tls == .init(certificateFile: "c", keyFile: "k"))
    #expect(configuration.seedsDemoData && options.usesJSON && options.isQuiet)
    #expect(configuration.maximumBodySize == 4_096)
    #expect(options.logFormat == .json)
    let line = configuration.listeningLine(.init(http: 1, realtime: 2), usesJSON: false)
    #expect(line.contains("http=https://[::1]:1 realtime=https://[::1]:2"))
  }

  @Test(arguments: [
    (["--port"], "--port needs a value after it"),
    (["--port", "65536"], "--port must be a number from 0 to 65535, not '65536'"),
    (["--port", "-1"], "--port must be a number from 0 to 65535, not '-1'"),
    (["--access-ttl", "0"], "--access-ttl must be whole seconds from 1 on, not '0'"),
    (["--access-ttl", "1.5"], "--access-ttl must be whole seconds from 1 on, not '1.5'"),
    (["--refresh-ttl", "99999999999"], "must be whole seconds"),
    (["--token-model", "jwt"], "--token-model must be access-refresh or opaque, not 'jwt'"),
    (["--tls-cert", "c"], "give --tls-cert and --tls-key together"),
    (
      ["--database", "mysql://x"],
      "--database takes the name of a SQLite file or a postgres:// URL, no other"
    ),
    (["--redis", "rediss://cache.internal"], "--redis cannot take rediss://: there is no TLS"),
    (["--redis", "cache.internal"], "--redis must be a redis:// URL"),
    (["--database="], "--database needs a value after it"),
    (["--max-body", "0"], "--max-body must be bytes from 1 to 1073741824, not '0'"),
    (["--log-format", "xml"], "--log-format must be text or json, not 'xml'"),
    (["--quiet=yes"], "--quiet takes no value"),
    (["--colour"], "no such option: --colour"),
    (["extra"], "no such option: extra"),
  ])
  func `a wrong option is named, with what to do`(arguments: [String], message: String) throws {
    guard case .misuse(let text) = BackendCommand(arguments: arguments) else {
      Issue.record("\(arguments) was accepted")
      return
    }
    #expect(text.contains(message))
    #expect(text.contains("Try 'dev-backend --help'"))
  }

  @Test func `an option may stand in the environment, and the command line wins`() throws {
    let environment = [
      "DEV_BACKEND_PORT": "4001", "DEV_BACKEND_REFRESH_TTL": "60", "DEV_BACKEND_QUIET": "1",
      "DEV_BACKEND_JSON": "0", "DEV_BACKEND_HOST": "", "PORT": "5001", "DEV_BACKEND_OTHER": "x",
    ]
    let command = BackendCommand(arguments: ["--port=4002"], environment: environment)
    guard case .run(let options) = command else {
      Issue.record("refused: \(command)")
      return
    }
    #expect(options.configuration.port == 4_002)
    #expect(options.configuration.refreshLifetime == .seconds(60))
    #expect(options.configuration.host == "127.0.0.1")
    #expect(options.isQuiet && !options.usesJSON)
  }

  @Test(arguments: [
    ("DEV_BACKEND_PORT", "http", "DEV_BACKEND_PORT must be a number from 0 to 65535"),
    ("DEV_BACKEND_QUIET", "yes", "DEV_BACKEND_QUIET must be 1 or 0, not 'yes'"),
    ("DEV_BACKEND_TLS_KEY", "k", "give --tls-cert and --tls-key together"),
  ])
  func `a wrong variable is named`(name: String, value: String, message: String) throws {
    guard case .misuse(let text) = BackendCommand(arguments: [], environment: [name: value]) else {
      Issue.record("\(name) was accepted")
      return
    }
    #expect(text.contains(message))
    guard case .help = BackendCommand(arguments: ["--help"], environment: [name: value]) else {
      Issue.record("the help was refused")
      return
    }
  }

  @Test func `the help names every option once, within 100 columns, and the demo users`() {
    let lines = BackendHelp.text.split(separator: "\n")
    for option in OptionTable.all {
      #expect(lines.count { $0.hasPrefix("  \(option.name) ") } == 1, "\(option.name)")
      #expect(option.name.hasPrefix("--") && !option.help.isEmpty)
    }
    #expect(Set(OptionTable.all.map(\.variable)).count == OptionTable.all.count)
    #expect(lines.allSatisfy { $0.count <= 100 })
    for user in DemoData.users { #expect(BackendHelp.text.contains(user.password)) }
  }

  @Test func `a log line is one JSON object, whatever a client put into it`() throws {
    let line = BackendLogLine(
      level: .warning,
      event: "request",
      requestID: "a\"b",
      time: 784_111_777_000,
      fields: [.init(name: "client", value: "x\ny=\u{1}\"")]
    )
    let json = try #require(JSONValue(parsing: Array(line.json.utf8)))
    #expect(!line.json.contains("\n"))
    #expect(json.string("time") == "1994-11-06T08:49:37.000Z")
    #expect(json.string("level") == "warning")
    #expect(json.string("request") == "a\"b")
    #expect(json.string("client") == "x\ny=\u{1}\"")
  }
}

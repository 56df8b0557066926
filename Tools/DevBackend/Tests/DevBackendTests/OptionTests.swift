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
      "--quiet"
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
    (["--database", "postgres://x"], "--database takes the name of a SQLite file, not a URL"),
    (["--database="], "--database needs a value after it"),
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

  @Test func `the help names every option and the demo users`() {
    for option in [
      "--port", "--realtime-port", "--host", "--database", "--access-ttl", "--refresh-ttl",
      "--refresh-grace", "--token-model", "--tls-cert", "--tls-key", "--seed-demo-data", "--json",
      "--quiet", "--version", "--help",
    ] {
      #expect(BackendHelp.text.contains(option))
    }
    for user in DemoData.users { #expect(BackendHelp.text.contains(user.password)) }
  }
}

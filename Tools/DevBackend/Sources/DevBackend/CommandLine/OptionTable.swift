/// Every option of `dev-backend`, in the order of the help.
enum OptionTable {
  static let all: [BackendOption] = network + sessions + signing + logins + output

  private static let network: [BackendOption] = [
    BackendOption(
      "--port",
      "PORT",
      "HTTP port; 0 takes a free one (3001)",
      sets: \.configuration.port,
      to: OptionValue.port
    ),
    BackendOption(
      "--realtime-port",
      "PORT",
      "gRPC port; 0 takes a free one (3002)",
      sets: \.configuration.realtimePort,
      to: OptionValue.port
    ),
    BackendOption(
      "--host",
      "ADDRESS",
      "address to listen on (127.0.0.1)",
      sets: \.configuration.host,
      to: { $0 }
    ),
    BackendOption(
      "--database",
      "FILE|URL",
      "SQLite file, made where missing; or postgres://USER@HOST/DATABASE,",
      "which several instances share (:memory:, gone at the end)",
      sets: \.configuration.database,
      to: OptionValue.database
    ),
    BackendOption(
      "--database-timeout",
      "SECONDS",
      "how long a database server may say nothing before it is taken for",
      "lost, and requests get 503 with Retry-After (2)",
      sets: \.configuration.databaseTimeout,
      to: OptionValue.seconds()
    ),
    BackendOption(
      "--redis",
      "URL",
      "redis://HOST: what instances tell each other of ends of sessions",
      "and of messages; while it is lost, tokens are answered with 503",
      sets: \.configuration.redis,
      to: OptionValue.redis
    ),
    BackendOption(
      "--access-ttl",
      "SECONDS",
      "lifetime of access tokens (900)",
      sets: \.configuration.accessLifetime,
      to: OptionValue.seconds()
    ),
    BackendOption(
      "--refresh-ttl",
      "SECONDS",
      "lifetime of refresh tokens and of unused opaque sessions (172800)",
      sets: \.configuration.refreshLifetime,
      to: OptionValue.seconds()
    ),
    BackendOption(
      "--refresh-grace",
      "SECONDS",
      "how long after a rotation another request with the old token is",
      "answered with an access token only, not taken for theft (10)",
      sets: \.configuration.refreshGrace,
      to: OptionValue.seconds(from: 0)
    ),
    BackendOption(
      "--token-model",
      "MODEL",
      "access-refresh or opaque (access-refresh)",
      sets: \.configuration.tokenModel,
      to: OptionValue.choice
    ),
  ]

  private static let output: [BackendOption] = [
    BackendOption("--tls-cert", "FILE", "PEM file with the certificate and its chain,") {
      text,
      draft in draft.certificate = text
    },
    BackendOption("--tls-key", "FILE", "and with its key; both ports then speak TLS only") {
      text,
      draft in draft.key = text
    },
    BackendOption(
      "--max-body",
      "BYTES",
      "larger request bodies are refused with 413 (1048576)",
      sets: \.configuration.maximumBodySize,
      to: OptionValue.bytes
    ),
    BackendOption(
      "--connections-per-address",
      "NUMBER",
      "connections from one address at once, on each port; 0 for no limit, as",
      "behind a proxy, from which all of them come (1024)",
      sets: \.configuration.connectionsPerAddress,
      to: OptionValue.number(0...1_000_000)
    ),
    BackendOption(
      "--request-timeout",
      "SECONDS",
      "how long a client may take for a request's head or its first call, or",
      "pause in a body, before its connection is closed (15)",
      sets: \.configuration.requestTimeout,
      to: OptionValue.seconds()
    ),
    BackendOption(
      "--seed-demo-data",
      nil,
      "make the users and messages below where they are missing"
    ) { _, draft in draft.options.configuration.seedsDemoData = true },
    BackendOption("--faults", "PLAN", "what goes wrong on purpose; see below") {
      text,
      draft throws(OptionMisuse) in
      do throws(FaultPlanError) {
        draft.options.configuration.faults = try FaultPlan(text)
      } catch {
        throw OptionMisuse(message: error.message)
      }
    },
    BackendOption(
      "--admin-token-file",
      "FILE",
      "token for /admin; made where missing (printed at start)",
      sets: \.configuration.adminTokenFile,
      to: { $0 }
    ),
    BackendOption(
      "--drain-seconds",
      "SECONDS",
      "how long requests in hand may take when it is stopped (10)",
      sets: \.drainLimit,
      to: OptionValue.seconds(from: 0)
    ),
    BackendOption(
      "--log-format",
      "FORMAT",
      "text, or json for one object a line (text)",
      sets: \.logFormat,
      to: OptionValue.choice
    ),
    BackendOption("--json", nil, "say where it listens as one JSON line") { _, draft in
      draft.options.usesJSON = true
    },
    BackendOption("--quiet", nil, "no log on standard error") { _, draft in
      draft.options.isQuiet = true
    },
  ]
}

/// Texts on the command line as values; what is thrown says what a value must be.
enum OptionValue {
  /// Makes a value of a text.
  typealias Reader<Value> = @Sendable (_ text: String) throws(OptionMisuse) -> Value

  static func port(_ text: String) throws(OptionMisuse) -> UInt16 {
    if let port = UInt16(text) { return port }
    throw OptionMisuse(message: "must be a number from 0 to 65535, not '\(text)'")
  }

  static func seconds(from least: Int64 = 1) -> Reader<Duration> {
    { text throws(OptionMisuse) in
      // A hundred years; beyond that an expiry is no date any more.
      if let seconds = Int64(text), (least...3_155_760_000).contains(seconds) {
        return .seconds(seconds)
      }
      throw OptionMisuse(message: "must be whole seconds from \(least) on, not '\(text)'")
    }
  }

  static func number(_ range: ClosedRange<Int>) -> Reader<Int> {
    { text throws(OptionMisuse) in
      if let number = Int(text), range.contains(number) { return number }
      throw OptionMisuse(
        message: "must be a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
      )
    }
  }

  static func bytes(_ text: String) throws(OptionMisuse) -> Int {
    // A body is kept in memory while it comes.
    if let bytes = Int(text), (1...1 << 30).contains(bytes) { return bytes }
    throw OptionMisuse(message: "must be bytes from 1 to 1073741824, not '\(text)'")
  }

  static func database(_ text: String) throws(OptionMisuse) -> String? {
    let schemes = ["postgres://", "postgresql://"]
    if text.contains("://"), !schemes.contains(where: text.hasPrefix) {
      throw OptionMisuse(message: "takes the name of a SQLite file or a postgres:// URL, no other")
    }
    return text == ":memory:" ? nil : text
  }

  static func redis(_ text: String) throws(OptionMisuse) -> String {
    if text.hasPrefix("redis://") { return text }
    if text.hasPrefix("rediss://") { throw OptionMisuse(message: RedisScheme.noTLS) }
    throw OptionMisuse(message: "must be a redis:// URL")
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String
  ) throws(OptionMisuse) -> Choice {
    if let choice = Choice(rawValue: text) { return choice }
    let all = Choice.allCases.map(\.rawValue).joined(separator: " or ")
    throw OptionMisuse(message: "must be \(all), not '\(text)'")
  }
}

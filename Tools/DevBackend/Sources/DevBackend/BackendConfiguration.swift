/// Everything that can be chosen about a backend.
public struct BackendConfiguration: Sendable {
  /// Which of the two token models sessions use (seed 004).
  public enum TokenModel: String, Sendable, CaseIterable {
    /// Signed access tokens, and refresh tokens that rotate.
    case accessRefresh = "access-refresh"
    /// One random session id, looked up at each request; nothing is refreshed.
    case opaque
  }

  /// What ends when a spent refresh token comes again after the grace window.
  public enum ReuseReach: String, Sendable, CaseIterable {
    /// What the dialect's own rule says: SkyConnect that session, KSN all of the user's.
    case dialect
    /// That session, in either dialect.
    case session
    /// All of the user's sessions, in either dialect.
    case user
  }

  /// Certificate and key for both ports.
  public struct TLS: Equatable, Sendable {
    /// PEM file with the certificate, and the chain after it.
    public var certificateFile: String
    /// PEM file with its private key.
    public var keyFile: String

    /// Both files.
    public init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  /// The address to listen on; only this machine's unless set.
  public var host = "127.0.0.1"
  /// The HTTP port; 0 takes any free one.
  public var port: UInt16 = 3001
  /// The gRPC port; 0 takes any free one.
  public var realtimePort: UInt16 = 3002
  /// The SQLite file, or the URL of a database server (`postgres://…`); nil keeps everything in
  /// memory, for as long as the instance lives.
  public var database: String?
  /// How long a database server may say nothing, to whomever, before it is taken for lost; at least a
  /// second, in whole ones.
  ///
  /// Requests then get 503. A statement may take 5 s (or as long as this, where this is longer) while
  /// the server says something to others.
  public var databaseTimeout: Duration = .seconds(2)
  /// The Redis server (`redis://…`) by which instances on one database server hear of each other;
  /// nil where there is one instance only, or where a fifth of a second later is soon enough.
  public var redis: String?
  /// What opens the servers that several instances share; nil in programs without its libraries.
  package var connector: (any ClusterConnector)?
  /// How long an access token lives; at least a second.
  public var accessLifetime: Duration = .seconds(900)
  /// How long a refresh token, or an unused opaque session, lives; at least a second.
  public var refreshLifetime: Duration = .seconds(172_800)
  /// For how long after a rotation another request with the old token is taken for a concurrent
  /// one, and answered with an access token only.
  public var refreshGrace: Duration = .seconds(10)
  /// What ends when a spent refresh token comes again after the grace window.
  public var reuseReach = ReuseReach.dialect
  /// Which token model.
  public var tokenModel = TokenModel.accessRefresh
  /// How access tokens are signed.
  public var signingAlgorithm = SigningAlgorithm.edDSA
  /// How long a signing key signs before a new one does; nil rotates only when told to.
  public var signingKeyInterval: Duration? = .seconds(2_592_000)
  /// How long a new signing key is published before it signs.
  ///
  /// Others may keep a copy of the published keys for half of it. Give at least 60 s where several
  /// instances share a database.
  public var signingKeyAnnouncement: Duration = .seconds(600)
  /// Whether a new signing key is announced at start.
  public var rotatesSigningKey = false
  /// How long a look-up of an opaque session is trusted; at most 60 s, and never beyond a
  /// revocation that was heard of.
  public var sessionCacheLifetime: Duration = .seconds(60)
  /// So many wrong passwords an account may be tried with in a minute.
  ///
  /// One network may try ten times as many; 0 is no limit. Instances on one Redis server count
  /// together; without one, or while it is lost, each counts for itself.
  public var loginRate = 10
  /// The header in which a proxy says where a request comes from.
  ///
  /// Nil takes the connection's address. Whoever can reach the backend past the proxy can forge it.
  public var clientAddressHeader: String?
  /// TLS for both ports; nil speaks plain HTTP/1.1 and h2c.
  public var tls: TLS?
  /// How much work a password hash is.
  public var passwordCost = PasswordCost.interactive
  /// Whether users, groups and messages to play with are made at start; see ``DemoData``.
  public var seedsDemoData = false
  /// How many connections one address may have at once, on each port; 0 for no limit.
  ///
  /// Of IPv6 a network of 64 bits counts as one address. Behind a proxy all come from one, so that
  /// 0 belongs there, and the limit into the proxy. All addresses together have 4,096 on the HTTP
  /// port.
  public var connectionsPerAddress = 1_024
  /// How long a client may take for the head of a request or for its first call, or pause within a
  /// body, before its connection is closed; at least a second, rounded down to whole ones.
  public var requestTimeout: Duration = .seconds(15)
  /// Larger request bodies are answered with 413, in bytes.
  public var maximumBodySize = 1_048_576
  /// What goes wrong on purpose, from the start.
  public var faults = FaultPlan()
  /// The file with the token of `/admin`, made where it is missing; nil makes a token for this run.
  public var adminTokenFile: String?
  /// The clock that tokens and the `Date` header follow.
  public var clock = BackendClock.system
  /// Where log lines go; called on many threads at once.
  public var log: @Sendable (BackendLogLine) -> Void = { _ in }

  /// An opaque session in use is written back at most this often, in milliseconds: never so
  /// seldom that its own use would not keep it alive.
  var touchInterval: Int64 {
    min(SessionCache.longestLifetime, refreshLifetime.milliseconds / 10)
  }

  /// The defaults of the command line.
  public init() {}

  /// For tests: any free ports, password hashes that cost next to nothing, and no limit to logins.
  public static func testing() -> BackendConfiguration {
    var configuration = BackendConfiguration()
    configuration.port = 0
    configuration.realtimePort = 0
    configuration.passwordCost = .minimum
    configuration.loginRate = 0
    // A loaded machine is not to look like a server that was lost.
    configuration.databaseTimeout = .seconds(30)
    return configuration
  }
}

/// What `dev-backend` says about itself.
public enum BackendHelp {
  /// The version.
  public static let version = "dev-backend 0.1.0"

  /// The answer to `--help`.
  public static var text: String {
    """
    usage: dev-backend [options]

    A backend for SkyConnect's (/auth, /sessions, /groups) and KSN's (/api) clients on one
    port, and the realtime service (gRPC) on another. It runs until SIGTERM or SIGINT.

      --port PORT             HTTP port; 0 takes a free one (3001)
      --realtime-port PORT    gRPC port; 0 takes a free one (3002)
      --host ADDRESS          address to listen on (127.0.0.1)
      --database FILE         SQLite file; made where missing (:memory:, gone at the end)
      --access-ttl SECONDS    lifetime of access tokens (900)
      --refresh-ttl SECONDS   lifetime of refresh tokens and of unused opaque sessions (172800)
      --refresh-grace SECONDS how long after a rotation another request with the old token is
                              answered with an access token only, not taken for theft (10)
      --token-model MODEL     access-refresh or opaque (access-refresh)
      --tls-cert FILE --tls-key FILE
                              PEM files; both ports then speak TLS only
      --seed-demo-data        make the users and messages below where they are missing
      --json                  say where it listens as one JSON line
      --quiet                 no log on standard error
      --version, --help

    One line on standard output says where it listens; the log goes to standard error.
    Exit status: 0 stopped by a signal, 64 wrong options, 69 a port is in use or cannot be
    listened on, 74 the database or the TLS files cannot be used.

    Demo users (name, e-mail address, password):
    \(users)
    Groups: general, which everyone is in, and homework.
    """
  }

  private static var users: String {
    DemoData.users.map { "  \($0.username)  \($0.email)  \($0.password)" }.joined(separator: "\n")
  }
}

extension BackendError {
  /// The exit status of `dev-backend` for this error (sysexits).
  public var exitStatus: Int32 {
    switch code {
    case .portInUse, .cannotListen, .entropy, .alreadyRunning: 69
    case .tls, .database, .databaseInUse, .newerDatabase: 74
    }
  }
}

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

    \(options)
      --version, --help

    Each option can also stand in the environment, as DEV_BACKEND_PORT for --port; flags are 1
    or 0 there. The command line wins.

    One line on standard output says where it listens; the log goes to standard error.
    The first signal lets requests in hand end, a second one does not.
    Exit status: 0 stopped by a signal, 1 by a second one, 64 wrong options, 69 a port
    is in use or cannot be listened on, 74 the database, the TLS files or the admin token's file
    cannot be used.

    \(FaultPlan.guide)

    Demo users (name, e-mail address, password):
    \(users)
    Groups: general, which everyone is in, and homework.
    """
  }

  private static var options: String {
    OptionTable.all.flatMap(\.helpLines).joined(separator: "\n")
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
    case .tls, .database, .databaseInUse, .newerDatabase, .adminToken: 74
    }
  }
}

/// Why the backend does not start.
public struct BackendError: Error, Equatable, Sendable {
  /// What kind of fault it is.
  public enum Code: String, Equatable, Sendable {
    /// Another program listens on the port.
    case portInUse = "port_in_use"
    /// The host or port cannot be listened on for another reason.
    case cannotListen = "cannot_listen"
    /// The certificate or key cannot be read, or is not accepted.
    case tls
    /// The database cannot be opened, read or written.
    case database
    /// Another dev-backend has the database open.
    case databaseInUse = "database_in_use"
    /// The database was made by a newer version.
    case newerDatabase = "newer_database"
    /// The file with the admin token cannot be used.
    case adminToken = "admin_token"
    /// The operating system gives no random bytes.
    case entropy
    /// It is started already.
    case alreadyRunning = "already_running"
  }

  /// What kind of fault it is.
  public let code: Code
  /// What went wrong, and what to do about it, for people.
  public let message: String

  /// An error from its parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension BackendError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// What a failed statement means for its transaction.
enum PostgreSQLFault: Equatable, Sendable {
  /// Another transaction was in the way: the same work may succeed when it is done again.
  case conflict
  /// The connection is of no use any more.
  case lost
  /// Nor is any other: the server says nothing at all.
  case silent
  /// The server does not do this, now or ever.
  case refused

  /// By the SQLSTATE of the server's error.
  init(sqlState: String) {
    switch sqlState {
    // A deadlock, a serialisation failure, and a row that another instance inserted first: done
    // again, the work finds that row.
    case "40001", "40P01", "23505": self = .conflict
    // The server shuts down, or a standby was asked; class 08 is the connection itself.
    case "57P01", "57P02", "57P03", "25006": self = .lost
    case let state where state.hasPrefix("08"): self = .lost
    default: self = .refused
    }
  }
}

/// How one attempt of a call ended.
struct CallOutcome: Sendable, Equatable {
  /// How far an attempt came that the server never looked at.
  enum Unprocessed: Sendable {
    /// It never left: it waited for its turn on a connection that ended.
    case notSent
    /// It came to the server, which refused it.
    case refused
  }

  var status: GRPCStatus
  var metadata = GRPCMetadata()
  var trailers = GRPCMetadata()
  /// Set when the server never looked at it.
  var unprocessed: Unprocessed?
  var cause: GRPCError.Cause?
  /// The server had begun to answer.
  var hadBegun = false
}

/// How one attempt of a call ended.
struct CallOutcome: Sendable, Equatable {
  var status: GRPCStatus
  var metadata = GRPCMetadata()
  var trailers = GRPCMetadata()
  /// The server never looked at it.
  var isUnprocessed = false
  var cause: GRPCError.Cause?
}

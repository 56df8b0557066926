/// What a server's call knows, guarded by its lock.
struct ServerCallState {
  enum Answer {
    case notBegun
    case begun
    case ended
  }

  var inbound: InboundMessages
  var requestEnded = false
  /// Why nothing more comes or goes; set once.
  var closure: GRPCStatus?
  var answer = Answer.notBegun
  var metadata = GRPCMetadata()
  var trailers = GRPCMetadata()
  var compression = GRPCCompression.identity
  /// The message of a unary answer, which waits for the status.
  var lastFrame: [UInt8]?
  var pending = 0
  var reader: CheckedContinuation<Void, Never>?
  var writers: [CheckedContinuation<Void, Never>] = []
  var task: Task<Void, Never>?

  mutating func takeReader() -> CheckedContinuation<Void, Never>? {
    defer { reader = nil }
    return reader
  }

  mutating func takeWriters() -> [CheckedContinuation<Void, Never>] {
    defer { writers = [] }
    return writers
  }

  /// Closes the call for this reason, unless it is closed.
  mutating func close(_ reason: GRPCStatus) {
    if closure == nil { closure = reason }
  }
}

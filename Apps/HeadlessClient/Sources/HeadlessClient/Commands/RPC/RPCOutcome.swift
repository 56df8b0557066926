internal import AuthNetworking
internal import GRPC

/// How a call of `rpc` ended.
struct RPCOutcome {
  /// The status.
  var status = GRPCStatus.ok
  /// The metadata that the answer began with.
  var metadata = GRPCMetadata()
  /// The metadata that came with the status.
  var trailers = GRPCMetadata()
  /// Whether there is a status to print; not where the session or the store kept the call back.
  var wasCalled = true
  /// What the command ends with; nil after OK.
  var failure: ClientError?
  /// Set where the reader has gone, which ends everything.
  var printFailure: ClientError?

  /// OK.
  init(metadata: GRPCMetadata, trailers: GRPCMetadata) {
    self.metadata = metadata
    self.trailers = trailers
  }

  /// The reader has gone.
  init(printFailure: ClientError) { self.printFailure = printFailure }

  /// What was read to be sent is no message: the call was given up.
  ///
  /// - Parameters:
  ///   - fault: what is wrong with it.
  ///   - wasCalled: whether a call had gone out before.
  init(unusableInput fault: ClientError, wasCalled: Bool) {
    status = GRPCStatus(.cancelled, fault.message)
    failure = fault
    self.wasCalled = wasCalled
  }

  /// Anything but OK.
  ///
  /// - Parameters:
  ///   - error: how it ended.
  ///   - wasSent: whether a call went out with a token before.
  init(_ error: GRPCError, wasSent: Bool) {
    status = error.status
    metadata = error.metadata
    trailers = error.trailers
    if let tokenError = error.tokenError {
      let cause = (tokenError as? AuthError).map { ClientError($0) }
      let failure = cause ?? ClientError(.internal, String(describing: tokenError))
      self.failure = failure
      switch failure.exitStatus {
      case .storage, .notSignedIn: wasCalled = wasSent
      default: if !wasSent { status = GRPCStatus(.unavailable, failure.message) }
      }
    } else {
      failure = ClientError(error)
    }
  }
}

extension ClientError {
  /// What a gRPC status other than OK is on the command line.
  init(_ error: GRPCError) {
    let code: Code =
      switch error.cause {
      case .network: .network
      case .tls: .tls
      case .pinMismatch: .pinMismatch
      case .configuration: .usage
      case nil: .rpc
      }
    let isTemporary = [.deadlineExceeded, .unavailable].contains(error.status.code)
    self.init(
      error.status.code == .cancelled && Task.isCancelled ? .interrupted : code,
      error.status.description,
      advice: ErrorAdvice.text(for: code),
      status: error.status.code.rawValue,
      exitStatus: isTemporary && code == .rpc ? .temporary : nil
    )
  }
}

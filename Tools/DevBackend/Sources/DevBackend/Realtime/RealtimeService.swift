internal import GRPC
internal import ProtobufWire

/// The three methods of realtime.proto.
struct RealtimeService: Sendable {
  let core: BackendCore
  let departure: Departure

  private static let path = "/skyconnect.realtime.v1.Realtime/"

  var handlers: [String: GRPCHandler] {
    [
      "\(Self.path)Subscribe": .serverStreaming { request, call in
        try await serve(call) { principal, log in
          let request: SubscribeRequest = try Self.decode(request)
          let stream = RealtimeStream(self, principal: principal, call: call)
          try await stream.subscribe(request, log)
        }
      },
      "\(Self.path)Send": .unary { request, call in
        try await serve(call) { principal, _ in
          try await send(try Self.decode(request), by: principal).protobuf
        }
      },
      "\(Self.path)Connect": .streaming { call in
        try await serve(call) { principal, log in
          let stream = RealtimeStream(self, principal: principal, call: call)
          try await stream.connect(log)
        }
      },
    ]
  }

  /// Sends a message; the same client message id gives the first one.
  func send(_ request: SendRequest, by principal: Principal) async throws -> Message {
    let draft = GroupService.Draft(
      groupID: request.groupID,
      clientMessageID: request.clientMessageID,
      body: request.body
    )
    let faults = GroupService.faults(of: draft, idField: "client_message_id")
    guard faults.isEmpty else { throw ServiceFailure.validation(faults) }
    return Message(try await GroupService(core: core).send(draft, by: principal.userID))
  }

  static func decode<Request: ProtobufMessage>(_ bytes: [UInt8]) throws -> Request {
    do {
      return try Request(protobuf: bytes)
    } catch {
      throw GRPCStatus(.invalidArgument, "The request is no message of realtime.proto.")
    }
  }

  /// Lets in who has a good token, turns failures into a status, and logs how the call ended.
  private func serve<Answer: Sendable>(
    _ call: GRPCServerCall,
    _ body: (Principal, RequestLog) async throws -> Answer
  ) async throws -> Answer {
    let log = try begin(call)
    let method = String(call.path.dropFirst(Self.path.count))
    core.faults.countRequest("rpc \(method)")
    do {
      guard !departure.isNear, !core.operations.lifecycle.isDraining else {
        throw ServiceFailure.unavailable
      }
      let faults = RealtimeFaults(core: core)
      let bearer = call.metadata["authorization"].flatMap(ServerRequest.bearer)
        .map(faults.unmask)
      let decision = try await faults.disturb(call.path, bearer: bearer, log)
      let principal: Principal = try await AccessGate(core: core).principal(bearer: bearer)
      let answer = try await body(principal, log)
      try await faults.disturbAnswer(decision)
      log("rpc", ["method": method, "status": "\(GRPCStatus.Code.ok)"])
      return answer
    } catch {
      let status = GRPCStatus(answering: error)
      log("rpc", ["method": method, "status": "\(status.code)"])
      throw status
    }
  }
}

extension RealtimeService {
  /// The log of a call; where the client's id is not taken, the trailers tell which one was made.
  private func begin(_ call: GRPCServerCall) throws -> RequestLog {
    let sent = call.metadata["x-request-id"]
    guard let fault = sent.flatMap(RequestIDFault.init(of:)) else {
      return core.log(requestID: sent ?? Entropy.id("req"))
    }
    let requestID = Entropy.id("req")
    let log = core.log(requestID: requestID)
    log.refusedID(fault)
    var trailers = GRPCMetadata()
    try trailers.append(requestID, for: "x-request-id")
    try trailers.append(fault.rawValue, for: RequestIDFault.header)
    call.setTrailers(trailers)
    return log
  }
}

extension GRPCStatus {
  /// The status that tells a client about a failure.
  init(answering error: any Error) {
    switch error {
    case let status as GRPCStatus: self = status
    case let failure as ServiceFailure: self.init(failure)
    case is CancellationError: self.init(.cancelled, "The call was cancelled.")
    // A database that fails may work again in a moment.
    case is BackendError: self.init(.unavailable, ServiceFailure.unavailable.message)
    default: self.init(.internalError, ServiceFailure.internalFault.message)
    }
  }

  private init(_ failure: ServiceFailure) {
    switch failure {
    case .unauthorized: self.init(.unauthenticated, failure.message)
    case .notFound: self.init(.notFound, failure.message)
    case .validation: self.init(.invalidArgument, failure.message)
    case .unavailable: self.init(.unavailable, failure.message)
    default: self.init(.internalError, failure.message)
    }
  }

  /// The status that ends a stream.
  init(_ ending: StreamEnding) {
    switch ending {
    case .revoked(let reason): self.init(ServiceFailure.unauthorized(.revoked(reason)))
    case .tokenExpired: self.init(ServiceFailure.unauthorized(.expired))
    case .unavailable: self.init(ServiceFailure.unavailable)
    }
  }
}

extension Message {
  /// A stored message as realtime.proto has it.
  init(_ record: MessageRecord) {
    self.init(
      id: record.id,
      groupID: record.groupID,
      senderID: record.senderID,
      clientMessageID: record.clientMessageID,
      body: record.body,
      sequence: UInt64(clamping: record.sequence),
      sentAtMilliseconds: record.sentAt
    )
  }
}

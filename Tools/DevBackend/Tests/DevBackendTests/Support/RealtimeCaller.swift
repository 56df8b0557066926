import GRPC
import ProtobufWire

@testable import DevBackend

/// Calls the realtime service with one access token.
struct RealtimeCaller: Sendable {
  let channel: GRPCChannel
  let token: String?

  private static let service = "/skyconnect.realtime.v1.Realtime/"

  init(_ url: String, token: String?, caFile: String? = nil) throws {
    channel = GRPCChannel(to: try GRPCEndpoint(url, caFile: caFile))
    self.token = token
  }

  func subscribe(_ group: String = "general", after sequence: UInt64 = 0) async throws -> GRPCCall {
    try await channel.serverStreaming(
      "\(Self.service)Subscribe",
      message: SubscribeRequest(groupID: group, afterSequence: sequence).protobuf,
      options: try options()
    )
  }

  func send(_ body: String, id: String, to group: String = "general") async throws -> Message {
    let request = SendRequest(groupID: group, clientMessageID: id, body: body)
    return try Message(protobuf: try await unary("Send", request.protobuf))
  }

  func unary(_ method: String, _ message: [UInt8]) async throws -> [UInt8] {
    try await channel.unary(Self.service + method, message: message, options: try options()).message
  }

  func connect() async throws -> GRPCCall {
    try await channel.streaming("\(Self.service)Connect", options: try options())
  }

  /// A subscription whose request has an id.
  func subscribe(requestID: String) async throws -> GRPCCall {
    var options = try options()
    try options.metadata.append(requestID, for: "x-request-id")
    return try await channel.serverStreaming(
      "\(Self.service)Subscribe",
      message: SubscribeRequest(groupID: "nowhere", afterSequence: 0).protobuf,
      options: options
    )
  }

  private func options() throws -> GRPCCallOptions {
    // No test waits longer for a server that says nothing.
    var options = GRPCCallOptions(deadline: .seconds(60))
    if let token { try options.metadata.append("Bearer \(token)", for: "authorization") }
    return options
  }
}

extension Fixture {
  func caller(_ token: String?) throws -> RealtimeCaller {
    try RealtimeCaller("http://127.0.0.1:\(ports.realtime)", token: token)
  }
}

extension GRPCCall {
  /// The next event; nil at the end.
  func nextEvent() async throws -> Event.Kind? {
    guard let bytes = try await next() else { return nil }
    return try Event(protobuf: bytes).event
  }

  /// The sequence number of the next event, which is to be a message.
  func nextSequence() async throws -> UInt64? {
    guard case .message(let message)? = try await nextEvent() else { return nil }
    return message.sequence
  }

  /// How the call ends, after events that are passed over.
  func ending() async -> GRPCStatus.Code {
    do {
      while try await next() != nil {}
      return .ok
    } catch {
      return error.status.code
    }
  }

  func send(_ frame: ClientFrame.Kind) async throws {
    try await send(ClientFrame(frame).protobuf)
  }
}

/// The status that a call fails with; OK where it does not.
func statusCode(_ body: () async throws -> Void) async -> GRPCStatus.Code {
  do {
    try await body()
    return .ok
  } catch {
    return (error as? GRPCError)?.status.code ?? .unknown
  }
}

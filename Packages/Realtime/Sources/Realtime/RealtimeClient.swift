public import GRPC
internal import ProtobufWire

/// Messages in real time: subscriptions that survive the network, and sending.
///
/// The connection is closed when the client and all that it gave out are gone.
///
/// ```swift
/// let client = RealtimeClient(to: try GRPCEndpoint("https://realtime.example"), tokens: session)
/// for try await event in client.subscribe(groupID: "general", afterSequence: 41) {
///   if case .message(let message) = event { show(message) }
/// }
/// ```
public final class RealtimeClient: Sendable {
  /// The channel under it, for calls of any other kind.
  public let channel: GRPCChannel

  private let core: RealtimeCore

  /// A client; nothing is connected before the first call or subscription.
  ///
  /// - Parameters:
  ///   - endpoint: where to.
  ///   - tokens: asked at every call and subscription for its bearer token; nil sends none.
  ///   - configuration: limits and times.
  ///   - clock: for the pauses between attempts.
  public init(
    to endpoint: GRPCEndpoint,
    tokens: (any TokenProvider)? = nil,
    configuration: GRPCChannelConfiguration = .init(),
    clock: any GRPCClock = SystemGRPCClock()
  ) {
    channel = GRPCChannel(
      to: endpoint,
      configuration: configuration,
      tokens: tokens,
      clock: clock
    )
    core = RealtimeCore(channel: channel, tokens: tokens, clock: clock)
  }

  /// What the client is doing now.
  public var state: RealtimeState { core.broadcast.current }

  /// The present state, then every change, until the client is shut down.
  public func states() -> AsyncStream<RealtimeState> { core.broadcast.states() }

  /// What happens in a group, from the sequence after `afterSequence` on, without an end.
  ///
  /// It waits for the first connection, and goes on through reconnects, server restarts and new
  /// tokens, after the last sequence it delivered. Nothing happens before the first element is
  /// asked for, and a reader that stops reading stops the server.
  ///
  /// Reading throws `GRPCError` with PERMISSION_DENIED, NOT_FOUND, INVALID_ARGUMENT or
  /// UNIMPLEMENTED, with UNAUTHENTICATED when the token was refused and there is no other one, and
  /// with UNAVAILABLE after ``shutDown(_:)``; and what the token provider throws, as it is, when
  /// that ends the session. It returns nil when the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - groupID: the group.
  ///   - afterSequence: the last sequence that is known already; 0 asks from the beginning.
  /// - Returns: a sequence to be read by one task; each iterator is a subscription of its own.
  public func subscribe(groupID: String, afterSequence: UInt64) -> RealtimeSubscription {
    RealtimeSubscription(core: core, groupID: groupID, afterSequence: afterSequence)
  }

  /// Sends a message; the same `clientMessageID` again returns the first message.
  ///
  /// - Parameters:
  ///   - groupID: the group.
  ///   - clientMessageID: chosen by the sender, once for each message.
  ///   - body: the text.
  ///   - deadline: how long it may take.
  /// - Returns: the message as the server keeps it.
  /// - Throws: `GRPCError`, or what the token provider throws.
  public func send(
    groupID: String,
    clientMessageID: String,
    body: String,
    deadline: Duration = .seconds(30)
  ) async throws -> RealtimeMessage {
    let request = SendRequest(groupID: groupID, clientMessageID: clientMessageID, body: body)
    do throws(GRPCError) {
      let options = GRPCCallOptions(deadline: deadline)
      return RealtimeMessage(try await channel.unary(Self.sending, request, options: options))
    } catch {
      throw error.tokenError ?? error
    }
  }

  private static let sending = GRPCMethod<SendRequest, Message>(
    RealtimeMethod.send,
    encode: { $0.protobuf },
    decode: { try Message(protobuf: $0) }
  )

  /// To be called when the device has another network: connects anew at once, and forgets every
  /// pause.
  public func networkDidChange() { core.networkDidChange() }

  /// To be called when the app is about to be suspended: nothing is sent until ``didResume()``.
  public func willSuspend() { core.willSuspend() }

  /// To be called when the app runs again: forgets every pause, and asks a connection that was left
  /// open for a sign of life before it is used.
  ///
  /// Subscriptions go on, after a reconnect where none came within five seconds.
  public func didResume() { core.didResume() }

  /// Ends every call and subscription; the client cannot be used any more.
  public func shutDown(_ reason: RealtimeState.ShutDownReason = .requested) {
    core.shutDown(reason)
  }
}

/// What one call asks for besides its path and messages.
public struct GRPCCallOptions: Sendable {
  /// Sent with the request.
  ///
  /// An `authorization` entry replaces the channel's token, and then nothing is refreshed.
  public var metadata = GRPCMetadata()

  /// How long the whole call may take, retries included; told to the server, and enforced here too.
  ///
  /// Nil sets no limit.
  public var deadline: Duration?

  /// How messages are compressed on their way to the server.
  public var compression = GRPCCompression.identity

  /// Whether the channel's token goes with the call.
  public var carriesToken = true

  /// Whether the call waits while no connection can be made, instead of failing UNAVAILABLE.
  public var waitsForReady = false

  /// The default options, with this deadline.
  public init(deadline: Duration? = nil) { self.deadline = deadline }
}

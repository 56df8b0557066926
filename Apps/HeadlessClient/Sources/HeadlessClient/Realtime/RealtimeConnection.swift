internal import GRPC
internal import Realtime

/// A client of the realtime endpoint, and whether the session's token goes there.
struct RealtimeConnection {
  /// The client; it connects at its first call.
  let client: RealtimeClient
  /// Whether the session's token goes with its calls.
  let carriesToken: Bool

  /// Ends all calls.
  func shutDown() { client.shutDown() }

  /// The channel under it, for calls of any kind.
  var channel: GRPCChannel { client.channel }
}

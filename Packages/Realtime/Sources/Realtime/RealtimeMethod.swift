/// The paths of `realtime.proto`.
public enum RealtimeMethod {
  /// Server streaming: what happens in a group.
  public static let subscribe = "/skyconnect.realtime.v1.Realtime/Subscribe"

  /// Unary: sends one message.
  public static let send = "/skyconnect.realtime.v1.Realtime/Send"

  /// Both directions.
  public static let connect = "/skyconnect.realtime.v1.Realtime/Connect"
}

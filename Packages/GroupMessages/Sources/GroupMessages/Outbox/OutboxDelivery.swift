/// What came of trying all unsent messages once.
public struct OutboxDelivery: Sendable {
  /// The messages that the server has now, in the order of their answers.
  public internal(set) var sent: [GroupMessage] = []
  /// Why messages of a group wait or have failed, by the group's id.
  public internal(set) var failures: [String: MessageError] = [:]
}

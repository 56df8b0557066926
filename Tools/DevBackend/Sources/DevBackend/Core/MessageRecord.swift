/// A message of a group.
struct MessageRecord: Equatable, Sendable {
  let id: String
  let groupID: String
  let senderID: String
  let clientMessageID: String
  let body: String
  /// From 1 within its group, without gaps.
  let sequence: Int64
  /// In milliseconds since 1970.
  let sentAt: Int64
}

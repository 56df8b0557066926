#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import SessionModels

/// One message of a group, as the server has it.
///
/// Its description leaves out the text: what people write to one another belongs in no log.
public struct GroupMessage: Hashable, Sendable, Identifiable {
  /// The sequences that a message can have.
  ///
  /// They count from 1 within a group, without gaps.
  public static let sequences: ClosedRange<UInt64> = 1...UInt64(Int64.max)

  /// The message's own id, a string always.
  public let id: String
  /// The group that it was sent to.
  public let groupID: String
  /// Who sent it.
  public let senderID: UserID
  /// What its sender called it before the server knew it; nil where the server does not tell.
  public let clientMessageID: String?
  /// The text.
  public let body: String
  /// Its place in the group, within ``sequences``.
  public let sequence: UInt64
  /// When the server took it, by the server's clock.
  public let sentAt: Date

  /// A message from its parts, an empty client message id being none.
  public init(
    id: String,
    groupID: String,
    senderID: UserID,
    clientMessageID: String?,
    body: String,
    sequence: UInt64,
    sentAt: Date
  ) {
    self.id = id
    self.groupID = groupID
    self.senderID = senderID
    self.clientMessageID = clientMessageID.flatMap { $0.isEmpty ? nil : $0 }
    self.body = body
    self.sequence = sequence
    self.sentAt = sentAt
  }
}

extension GroupMessage: CustomStringConvertible, CustomDebugStringConvertible {
  /// Which message it is, without its text.
  public var description: String { "message \(sequence) of \(groupID) by \(senderID)" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

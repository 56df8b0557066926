#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A message that the user wrote and that does not stand in the history yet.
public struct OwnSend: Hashable, Sendable, Identifiable {
  /// How far it got.
  public enum State: Hashable, Sendable {
    /// On its way, or waiting for its turn.
    case sending
    /// Refused for good; it stays visible until it is sent again or discarded.
    case failed
    /// The server has it; an open timeline shows it so until it has read the history around it.
    case sent
  }

  /// What the message is called until the server knows it.
  public let clientMessageID: String
  /// The text.
  public let body: String
  /// When it was written, by the device's clock.
  public let writtenAt: Date
  /// How far it got.
  public internal(set) var state: State
  /// What the server said where it refused the message; its text, not ours.
  public internal(set) var refusal: String?

  /// The same as ``clientMessageID``.
  public var id: String { clientMessageID }

  /// A message that is about to be sent.
  public init(clientMessageID: String, body: String, writtenAt: Date) {
    self.clientMessageID = clientMessageID
    self.body = body
    self.writtenAt = writtenAt
    state = .sending
  }
}

extension OwnSend: CustomStringConvertible, CustomDebugStringConvertible {
  /// Which message it is and how far it got, without its text.
  public var description: String { "unsent message \(clientMessageID), \(state)" }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

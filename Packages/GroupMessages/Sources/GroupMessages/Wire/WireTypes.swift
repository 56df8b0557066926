#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// The body of a send.
///
/// Names are those of KSN; SkyConnect's come from the key strategy, hence `Id` and not `ID`.
struct WireSend: Encodable {
  let clientMessageId: String
  let body: String
}

/// A user, of whom only the id matters here.
struct WireUser: Decodable {
  let id: UserID

  private enum CodingKeys: String, CodingKey {
    case id
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UserID.self, forKey: .id)
    // Nobody's id: it would make every message without a sender one's own.
    guard !id.rawValue.isEmpty else {
      throw DecodingError.dataCorruptedError(forKey: .id, in: container, debugDescription: "empty")
    }
  }
}

/// A page of history, newest message first.
struct WirePage: Decodable {
  let messages: [WireMessage]
  let hasMore: Bool
}

/// KSN's envelope of a success.
struct WireEnvelope<Value: Decodable>: Decodable {
  let data: Value

  private enum CodingKeys: String, CodingKey {
    case success, data
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard try container.decode(Bool.self, forKey: .success) else {
      throw DecodingError.dataCorruptedError(
        forKey: .success,
        in: container,
        debugDescription: "a success that says it is none"
      )
    }
    data = try container.decode(Value.self, forKey: .data)
  }
}

/// One message, checked.
struct WireMessage: Decodable {
  let message: GroupMessage

  private enum CodingKeys: String, CodingKey {
    case id, groupId, senderId, clientMessageId, body, sequence, sentAt
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // Every id on this wire may be a string or a number, which is what `UserID` reads.
    let id = try container.decode(UserID.self, forKey: .id).rawValue
    let sequence = try container.decode(UInt64.self, forKey: .sequence)
    guard GroupMessage.sequences.contains(sequence) else {
      throw DecodingError.dataCorruptedError(
        forKey: .sequence,
        in: container,
        debugDescription: "out of range"
      )
    }
    guard let sentAt = Instant.date(parsing: try container.decode(String.self, forKey: .sentAt))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .sentAt,
        in: container,
        debugDescription: "not RFC 3339"
      )
    }
    message = GroupMessage(
      id: id,
      groupID: try container.decode(UserID.self, forKey: .groupId).rawValue,
      senderID: try container.decode(UserID.self, forKey: .senderId),
      clientMessageID: try container.decodeIfPresent(String.self, forKey: .clientMessageId),
      body: try container.decode(String.self, forKey: .body),
      sequence: sequence,
      sentAt: sentAt
    )
  }
}

/// The text of a failure: `error`, else `message`, each only where it is a string; where
/// `error` is an object, its `message` (http.md).
struct WireFailure: Decodable {
  let text: String?

  private enum CodingKeys: String, CodingKey {
    case error, message
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let nested = try? container.nestedContainer(keyedBy: CodingKeys.self, forKey: .error)
    text =
      (try? container.decode(String.self, forKey: .error))
      ?? (try? nested?.decode(String.self, forKey: .message))
      ?? (try? container.decode(String.self, forKey: .message))
  }
}

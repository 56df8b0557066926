#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A message in the outbox, as it is stored.
struct OutboxEntry: Codable, Hashable, Sendable {
  /// Why a message was refused for good.
  struct Refusal: Codable, Hashable, Sendable {
    var status: Int
    var message: String
  }

  var clientMessageID: String
  var body: String
  /// Seconds since 1970, by the device's clock.
  var writtenAt: Double
  var refusal: Refusal?

  /// The message as apps see it.
  var ownSend: OwnSend {
    var send = OwnSend(
      clientMessageID: clientMessageID,
      body: body,
      writtenAt: Date(timeIntervalSince1970: writtenAt)
    )
    if let refusal {
      send.state = .failed
      send.refusal = refusal.message
    }
    return send
  }
}

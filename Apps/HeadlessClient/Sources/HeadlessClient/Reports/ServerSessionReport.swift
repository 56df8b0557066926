internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// One of the user's sessions on the server.
struct ServerSessionReport {
  private let session: ServerSession
  private let now: Double

  /// A report of a session.
  ///
  /// - Parameters:
  ///   - session: what the server said.
  ///   - now: seconds since 1970, to say how long ago things were.
  init(_ session: ServerSession, now: Double) {
    self.session = session
    self.now = now
  }

  /// The line for programs; what the server does not say is left out.
  var json: JSONValue {
    .members([
      "id": .string(session.id),
      "deviceID": session.deviceID.map { .string($0.rawValue) },
      "userAgent": session.userAgent.map(JSONValue.string),
      "createdAt": session.createdAt.map { .string(Instant.text(of: $0)) },
      "lastSeenAt": session.lastSeenAt.map { .string(Instant.text(of: $0)) },
      "isCurrent": .bool(session.isCurrent),
    ])
  }

  /// What the cells of ``row`` are.
  static let headings = ["SESSION", "CLIENT", "DEVICE", "SIGNED IN", "LAST SEEN"]

  /// The cells of its row for people; a star marks the session that asks.
  var row: [String] {
    [
      session.id + (session.isCurrent ? " *" : ""), session.userAgent ?? "–",
      session.deviceID?.rawValue ?? "–", ago(session.createdAt), ago(session.lastSeenAt),
    ]
  }

  private func ago(_ date: Date?) -> String {
    date.map { RelativeTime.text(seconds: $0.timeIntervalSince1970 - now) } ?? "–"
  }
}

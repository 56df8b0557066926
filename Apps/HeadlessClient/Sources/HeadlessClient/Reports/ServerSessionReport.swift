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

  /// The lines for people.
  var text: String {
    var rows = [("Session", session.id + (session.isCurrent ? " (this one)" : ""))]
    func add(_ name: String, _ value: String?) {
      if let value { rows.append((name, value)) }
    }
    add("  Client", session.userAgent)
    add("  Device", session.deviceID?.rawValue)
    add("  Signed in", session.createdAt.map(instant))
    add("  Last seen", session.lastSeenAt.map(instant))
    return Rows.text(rows)
  }

  private func instant(_ date: Date) -> String {
    "\(RelativeTime.text(seconds: date.timeIntervalSince1970 - now)) (\(Instant.text(of: date)))"
  }
}

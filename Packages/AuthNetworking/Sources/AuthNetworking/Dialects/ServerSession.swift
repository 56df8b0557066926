#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import SessionModels

/// One of the user's sessions as the server knows it: a sign-in on some device.
public struct ServerSession: Equatable, Sendable, Identifiable {
  /// What ``SessionController/revokeSession(id:)`` takes.
  public var id: String
  /// The install that it was begun on; nil where the server does not say.
  public var deviceID: DeviceID?
  /// What that install called itself; nil where the server does not say.
  public var userAgent: String?
  /// When the user signed in; nil where the server does not say.
  public var createdAt: Date?
  /// When the server last heard of it; nil where the server does not say.
  public var lastSeenAt: Date?
  /// Whether it is the one that asked.
  public var isCurrent: Bool

  /// A session from its parts.
  public init(
    id: String,
    deviceID: DeviceID? = nil,
    userAgent: String? = nil,
    createdAt: Date? = nil,
    lastSeenAt: Date? = nil,
    isCurrent: Bool = false
  ) {
    self.id = id
    self.deviceID = deviceID
    self.userAgent = userAgent
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.isCurrent = isCurrent
  }
}

extension ServerSession {
  /// A session out of an object with names in snake_case or camelCase, or nil where it has no id.
  ///
  /// What is of another type than expected is taken for unknown. Text of the server is put on one
  /// line, so that it can be shown as it is.
  public init?(_ value: JSONValue) {
    func first(_ names: String...) -> JSONValue? { names.lazy.compactMap { value[$0] }.first }
    func text(_ value: JSONValue?) -> String? {
      value?.string.map(HTTPResponse.oneLine).flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let id = UserID(value["id"]) else { return nil }
    self.init(
      id: id.rawValue,
      deviceID: text(first("device_id", "deviceId")).map { DeviceID(rawValue: $0) },
      userAgent: text(first("user_agent", "userAgent")),
      createdAt: text(first("created_at", "createdAt")).flatMap(Instant.date(parsing:)),
      lastSeenAt: text(first("last_seen_at", "lastSeenAt")).flatMap(Instant.date(parsing:)),
      isCurrent: first("current", "is_current", "isCurrent")?.bool == true
    )
  }
}

/// One line of the backend's log.
///
/// It never holds a password or an identity seed, and of a token at most its last 6 characters.
public struct BackendLogLine: Equatable, Sendable {
  /// How much it matters.
  public enum Level: String, Sendable {
    /// Something happened as it should.
    case info
    /// A client, or somebody who took its tokens, did something that it should not.
    case warning
    /// The server failed.
    case error
  }

  /// How much it matters.
  public let level: Level
  /// What happened, such as `request` or `refresh.rotated`.
  public let event: String
  /// The `X-Request-Id` of the request it belongs to (made here where the client sent none).
  public let requestID: String?
  /// When, in milliseconds since 1970 by the backend's clock.
  public let time: Int64
  /// What else there is to say, in order.
  public let fields: [Field]

  /// One thing that a line says.
  public struct Field: Equatable, Sendable {
    /// What it is.
    public let name: String
    /// Its value, as it is; ``BackendLogLine/text`` quotes it.
    public let value: String
  }

  /// The line as `time level event request=… name=value …`, without a line break.
  public var text: String {
    var text = "\(Timestamp.rfc3339(time)) \(level.rawValue) \(event)"
    if let requestID { text += " request=\(Self.quoted(requestID))" }
    for field in fields { text += " \(field.name)=\(Self.quoted(field.value))" }
    return text
  }

  /// The line as one JSON object, without a line break.
  ///
  /// `time`, `level`, `event` and `request` come first; what else there is to say follows by its
  /// name, always as a string.
  public var json: String {
    var members: [JSONValue.Member] = [
      JSONValue.Member(name: "time", value: .string(Timestamp.rfc3339(time))),
      JSONValue.Member(name: "level", value: .string(level.rawValue)),
      JSONValue.Member(name: "event", value: .string(event)),
    ]
    if let requestID { members.append(.init(name: "request", value: .string(requestID))) }
    members += fields.map { JSONValue.Member(name: $0.name, value: .string($0.value)) }
    return String(decoding: JSONValue.object(members).utf8, as: UTF8.self)
  }

  /// A client chooses some of these values, and must not be able to forge a line with one.
  private static func quoted(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
    if isPlain, !value.isEmpty { return value }
    return String(decoding: JSONValue.string(value).utf8, as: UTF8.self)
  }
}

/// Writes lines that all carry one request's id.
struct RequestLog: Sendable {
  let requestID: String?
  let time: ServerTime
  let sink: @Sendable (BackendLogLine) -> Void

  func callAsFunction(
    _ event: String,
    level: BackendLogLine.Level = .info,
    _ fields: KeyValuePairs<String, String?> = [:]
  ) {
    sink(
      BackendLogLine(
        level: level,
        event: event,
        requestID: requestID,
        time: time.now,
        fields: fields.compactMap { name, value in
          value.map { BackendLogLine.Field(name: name, value: $0) }
        }
      )
    )
  }

  /// The client's request id was not taken; of the id itself nothing is said.
  func refusedID(_ fault: RequestIDFault) {
    self("request.id_refused", level: .warning, ["why": fault.rawValue])
  }

  /// What may be shown of a secret: its last 6 characters, and of a short one nothing.
  static func tail(_ secret: String) -> String {
    secret.utf8.count >= 16 ? "…\(secret.suffix(6))" : "…"
  }
}

/// An authenticated request of this package, for the session to carry out.
public struct MessageRequest: Hashable, Sendable {
  /// The methods in use.
  public enum Method: String, Hashable, Sendable {
    /// Read.
    case get = "GET"
    /// Create.
    case post = "POST"
  }

  /// One `name=value` of the query, neither of them percent-encoded yet.
  public struct QueryItem: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String

    /// An item from its parts.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The method.
  public let method: Method
  /// The path below the dialect's base (in KSN below `<base-url>/api`): it begins with `/`, its
  /// segments are percent-encoded, and it has no query.
  public let path: String
  /// The query, in order.
  public let query: [QueryItem]
  /// UTF-8 JSON, or nil for a request without a body.
  public let body: [UInt8]?
  /// The signed-in period that it belongs to, and must not go out of; nil for any.
  public internal(set) var period: SessionPeriod?

  /// A request from its parts.
  public init(
    method: Method,
    path: String,
    query: [QueryItem] = [],
    body: [UInt8]? = nil,
    period: SessionPeriod? = nil
  ) {
    self.period = period
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }

  /// Path and encoded query in one text, as in `/groups/a%2Fb/messages?limit=50`.
  public var target: String {
    guard !query.isEmpty else { return path }
    let items = query.map { item in
      PercentEncoding.encode(item.name) + "=" + PercentEncoding.encode(item.value)
    }
    return path + "?" + items.joined(separator: "&")
  }
}

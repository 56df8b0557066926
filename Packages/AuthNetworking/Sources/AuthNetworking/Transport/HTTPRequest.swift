public import SessionModels

/// One HTTP exchange as a transport carries it out: no redirect is followed, nothing is added
/// but what HTTP itself needs.
public struct HTTPRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The absolute URL.
  public var url: HTTPURL
  /// The header fields; `Authorization` is not among them, see ``bearer``.
  public var headers: HTTPHeaders
  /// The bearer token; the transport writes it into `Authorization` at the last moment.
  public var bearer: Secret?
  /// The body, or nil for none.
  public var body: [UInt8]?
  /// The most time for the whole exchange, connecting included.
  public var timeout: Duration
  /// The largest answer that is read into memory, in bytes after content decoding.
  public var maximumResponseBytes: Int
  /// Whether a kept connection will not do.
  ///
  /// The server may be closing it just now, and what must not be sent twice would fail for
  /// nothing. URLSession has no such choice.
  public var needsNewConnection = false

  /// A request from its parts.
  public init(
    method: HTTPMethod,
    url: HTTPURL,
    headers: HTTPHeaders = HTTPHeaders(),
    bearer: Secret? = nil,
    body: [UInt8]? = nil,
    timeout: Duration = .seconds(30),
    maximumResponseBytes: Int = 8 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.bearer = bearer
    self.body = body
    self.timeout = timeout
    self.maximumResponseBytes = maximumResponseBytes
  }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
  /// Method, origin and path; never query, headers or body, which may hold secrets (R9).
  public var description: String { "\(method.rawValue) \(url.origin.text)\(url.path)" }

  /// Shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

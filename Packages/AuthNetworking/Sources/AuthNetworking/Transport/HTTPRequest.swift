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
  /// What it carries, or nil for nothing.
  public var content: RequestBody?
  /// The most time for the whole exchange, connecting included.
  public var timeout: Duration
  /// The largest answer that is read into memory, in bytes after content decoding.
  public var maximumResponseBytes: Int
  /// Where the body of a 2xx answer goes; nil for memory.
  public var destination: DownloadTarget?
  /// Told how far it has come, on a thread of the transport's that must not be held up.
  public var onProgress: (@Sendable (TransferProgress) -> Void)?
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
    content = body.map { .bytes($0, contentType: RequestBody.json) }
    self.timeout = timeout
    self.maximumResponseBytes = maximumResponseBytes
  }
}

extension HTTPRequest {
  /// The body where it is in memory; setting it makes ``content`` of bytes.
  public var body: [UInt8]? {
    get { content?.bytes }
    set { content = newValue.map { .bytes($0, contentType: RequestBody.json) } }
  }

  /// Whether sending twice is as good as sending once: by its method (RFC 9110, section 9.2.2), or
  /// because an `Idempotency-Key` lets the server notice.
  public var isRepeatable: Bool {
    method.isIdempotent || headers[IdempotencyKey.headerName] != nil
  }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
  /// Method, origin and path; never query, headers or body, which may hold secrets (R9).
  public var description: String { "\(method.rawValue) \(url.origin.text)\(url.path)" }

  /// Shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

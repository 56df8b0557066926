/// A request to the backend, as an app makes it.
public struct APIRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The path below the base URL and the dialect's prefix, or an absolute URL.
  public var path: String
  /// Header fields beyond those that every request gets.
  ///
  /// An `Authorization` here is sent as it is, instead of the session's token, and its 401
  /// refreshes nothing.
  public var headers: HTTPHeaders
  /// The body, or nil for none.
  public var body: [UInt8]?
  /// Whether the session's token goes with it.
  ///
  /// It does so to the session's own origin only (R8).
  public var carriesToken: Bool
  /// The most time for one attempt; nil for the configuration's.
  public var timeout: Duration?

  /// A request; JSON is assumed for the body unless `Content-Type` is among the headers.
  public init(
    _ method: HTTPMethod,
    _ path: String,
    headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8]? = nil,
    carriesToken: Bool = true,
    timeout: Duration? = nil
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
    self.carriesToken = carriesToken
    self.timeout = timeout
  }

  /// The request of a dialect's call.
  init(_ call: APICall) {
    self.init(call.method, call.path, body: call.body, carriesToken: call.carriesToken)
  }
}

/// An answer of the backend, whatever its status.
public struct APIResponse: Equatable, Sendable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, after content decoding.
  public var body: [UInt8]
  /// The `X-Request-Id` of the attempt that this is the answer to.
  public var requestID: String

  /// The answer without its request id, as a dialect reads it.
  public var httpResponse: HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: body)
  }

  init(_ response: HTTPResponse, requestID: String) {
    status = response.status
    headers = response.headers
    body = response.body
    self.requestID = requestID
  }
}

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
  /// What it carries, or nil for nothing.
  public var content: RequestBody?
  /// Whether the session's token goes with it.
  ///
  /// It does so to the session's own origin only (R8).
  public var carriesToken: Bool
  /// The generation of the session that it belongs to (`SessionRecord.generation`); nil for
  /// whoever is signed in.
  ///
  /// Where another session has come in its place, nothing is sent and the error is `notSignedIn`.
  /// For what one account wrote and no other may send (R4).
  public var sessionGeneration: UInt64?
  /// The most time for one attempt, its redirects included; nil for the configuration's.
  ///
  /// It bounds the whole of an attempt, not its silence: give a large upload or download more.
  public var timeout: Duration?
  /// The most time for all of it: the wait for a token, each attempt, the replay; nil for none.
  ///
  /// When it is over the request is `timeout`; a refresh that it waited for goes on (R10).
  public var deadline: Duration?
  /// Sent as `Idempotency-Key`, the same in each attempt.
  ///
  /// A server that honours it acts once on what it gets twice, so that a `POST` with a key is sent
  /// again where a kept connection breaks under it.
  public var idempotencyKey: IdempotencyKey?
  /// The largest answer that is read into memory, in bytes; nil for the configuration's.
  public var maximumResponseBytes: Int?
  /// The file that the body of a 2xx answer goes into; nil for memory.
  public var destination: DownloadTarget?
  /// Told how far each attempt has come, on a thread of the transport's: return soon.
  public var onProgress: (@Sendable (TransferProgress) -> Void)?

  /// A request; JSON is assumed for the body unless `Content-Type` is among the headers.
  ///
  /// Other bodies, files and streams are set as ``content``.
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
    content = body.map { .bytes($0, contentType: RequestBody.json) }
    self.carriesToken = carriesToken
    self.timeout = timeout
  }

  /// The body where it is in memory; setting it makes ``content`` of bytes that are JSON.
  public var body: [UInt8]? {
    get { content?.bytes }
    set { content = newValue.map { .bytes($0, contentType: RequestBody.json) } }
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
  /// How many bytes of the body went into ``APIRequest/destination``; nil where none was to.
  public var savedBytes: Int64?
  /// As ``HTTPResponse/receivedAt``.
  let receivedAt: Date?

  /// The answer without its request id, as a dialect reads it.
  public var httpResponse: HTTPResponse {
    var response = HTTPResponse(status: status, headers: headers, body: body)
    response.receivedAt = receivedAt
    return response
  }

  init(_ response: HTTPResponse, requestID: String) {
    status = response.status
    headers = response.headers
    body = response.body
    savedBytes = response.savedBytes
    receivedAt = response.receivedAt
    self.requestID = requestID
  }
}

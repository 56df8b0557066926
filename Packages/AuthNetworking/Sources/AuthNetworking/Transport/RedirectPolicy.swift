/// Decides what a redirect leads to (RFC 9110, section 15.4; R8): pure, one hop at a time.
///
/// Within the origin it is followed; 307 and 308 keep method and body, 303 asks with `GET`, and so
/// do 301 and 302 after a `POST`. To another origin only `GET` and `HEAD` are followed, with no
/// credential and no header but a few that cannot be one; what was stripped does not come back
/// when a later hop leads home. From `https` to `http` only on to this machine itself. What is not
/// followed is an answer.
public struct RedirectPolicy: Sendable {
  /// The most hops of one request.
  public var limit: Int

  /// The longest `Location` that is followed, in bytes; a longer one makes the redirect an answer.
  ///
  /// No server takes a longer request line, and each hop would carry it.
  public static let longestLocation = 16 << 10

  /// A policy of at most `limit` hops.
  public init(limit: Int = 10) { self.limit = limit }

  /// The headers that may go to another origin.
  ///
  /// Named one by one, since `X-Client-Secret` begins with `X-Client-` too.
  private static let harmless = [
    "Accept", "Accept-Language", "User-Agent", "X-Client-Type", "X-Client-Version", "X-Request-Id",
  ]

  /// The request that an answer redirects to, or nil where the answer is the last one.
  ///
  /// - Parameters:
  ///   - response: the answer.
  ///   - request: what it is the answer to.
  ///   - hops: how many redirects were followed before.
  /// - Returns: the next request, without ``HTTPRequest/bearer`` where it leaves the origin.
  /// - Throws: ``TransportError`` with ``TransportError/Code/tooManyRedirects``.
  public func next(
    after response: HTTPResponse,
    to request: HTTPRequest,
    hops: Int
  ) throws(TransportError) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(response.status),
      let location = response.headers["Location"],
      location.utf8.count <= RedirectPolicy.longestLocation,
      let url = request.url.resolving(location)
    else { return nil }
    var next = request
    next.url = url
    if url.origin != request.url.origin {
      guard [.get, .head].contains(request.method), request.content == nil,
        request.url.origin.scheme == "http" || url.isSecureOrLoopback
      else { return nil }
      next.bearer = nil
      next.headers = HTTPHeaders(
        request.headers.fields.filter { field in
          RedirectPolicy.harmless.contains { HTTPHeaders.isSame($0, field.name) }
        }
      )
    }
    guard hops < limit else {
      throw TransportError(.tooManyRedirects, "More than \(limit) redirects")
    }
    let becomesGet =
      response.status == 303
      ? request.method != .head
      : [301, 302].contains(response.status) && request.method == .post
    if becomesGet {
      next.method = .get
      next.content = nil
      for name in ["Content-Type", "Content-Encoding", IdempotencyKey.headerName] {
        next.headers[name] = nil
      }
    }
    return next
  }
}

#if canImport(CCurl)
/// What an easy handle has to be told of a request besides URL, fields and time: where two requests
/// have equal ones, the second needs to be told only those.
///
/// Only requests without anything special have any: no body, no way of their own to a connection.
/// All others get a handle that knows nothing.
struct CurlSettings: Equatable {
  let method: HTTPMethod
  let isSecure: Bool
  let isDirect: Bool
  /// The most bytes of an answer; nil for as many as come.
  let mostBytes: Int?
  /// The keys that the server may have, as libcurl reads them; nil for any.
  let pinnedKeys: String?

  /// The settings of a request; nil where it is a special one.
  init?(_ request: HTTPRequest, isSecondTry: Bool, pinnedKeys: String?) {
    guard !isSecondTry, !request.needsNewConnection, request.content == nil, request.isRepeatable,
      !request.hasBodyByMethod
    else { return nil }
    method = request.method
    isSecure = request.url.origin.scheme == "https"
    isDirect = ProxyChoice.isDirect(request.url)
    mostBytes = request.mostBytes
    self.pinnedKeys = pinnedKeys
  }
}

extension HTTPRequest {
  /// Whether it says how long its body is, also where there is none.
  var hasBodyByMethod: Bool { [.post, .put, .patch].contains(method) }

  /// The most bytes of an answer that libcurl need take; nil for as many as come.
  ///
  /// A file's own limit is looked at as it is written, and does not hold for a refusal.
  var mostBytes: Int? {
    method == .head || destination != nil ? nil : maximumResponseBytes
  }
}
#endif

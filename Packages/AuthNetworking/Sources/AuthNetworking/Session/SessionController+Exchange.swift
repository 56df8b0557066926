#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels
internal import Synchronization

// Single HTTP exchanges: headers, origin rules, the server's clock.
extension SessionController {
  /// The URL of a path, or the absolute URL itself.
  func url(of path: String, base: HTTPURL) throws(AuthError) -> HTTPURL {
    do {
      if let apiBase, base == configuration.baseURL { return try apiBase.appending(path: path) }
      return try configuration.dialect.apiBase(base).appending(path: path)
    } catch { throw AuthError(.invalidInput, error.message) }
  }

  /// Sends one of the calls that sign in, refresh or sign out: never redirected, never replayed.
  ///
  /// It goes to the backend of the session that it belongs to, or with nil to the configured one.
  func exchange(
    _ call: APICall,
    session: AuthInfo?,
    requestID: String,
    timeout: Duration
  ) async throws(AuthError) -> HTTPResponse {
    var base = configuration.baseURL
    if let session {
      guard session.dialect == configuration.dialect.name,
        let own = try? HTTPURL(parsing: session.baseURL)
      else {
        throw AuthError(
          .server,
          "The session speaks \(session.dialect), which is not what is configured",
          requestID: requestID
        )
      }
      base = own
    }
    let target = try url(of: call.path, base: base)
    try requireSecure(target)
    var request = HTTPRequest(
      method: call.method,
      url: target,
      headers: headers(
        HTTPHeaders(),
        contentType: call.body.map { _ in RequestBody.json },
        requestID: requestID
      ),
      bearer: call.carriesToken ? session?.session.accessToken?.secret : nil,
      body: call.body
    )
    request.timeout = timeout
    // Rare and precious: a refresh that fails because the server hung up costs a request.
    request.needsNewConnection = true
    request.maximumResponseBytes = configuration.maximumResponseBytes
    return try await perform(request, requestID: requestID)
  }

  /// R8: secrets do not go over plain http, but to this machine or where it is allowed.
  func requireSecure(_ url: HTTPURL) throws(AuthError) {
    guard url.isSecureOrLoopback || configuration.allowsPlainHTTP else {
      throw AuthError(.invalidInput, "\(url.origin.text) is not encrypted: use https")
    }
  }

  /// Sends once, and learns the server's time from the answer.
  func perform(
    _ request: HTTPRequest,
    requestID: String
  ) async throws(AuthError) -> HTTPResponse {
    let sent = clock.monotonic()
    var response: HTTPResponse
    do { response = try await transport.send(request) } catch {
      note(.debug, "\(request.method.rawValue) failed: \(error)", requestID: requestID)
      throw AuthError(error, requestID: requestID)
    }
    note(.debug, "\(request.method.rawValue): \(response.status)", requestID: requestID)
    if response.serverDate == nil, response.headers["Retry-After"] != nil {
      // Of another server's clock nothing is known: the device's has to do.
      response.receivedAt =
        isBackend(request.url.origin) ? serverDate : Date(timeIntervalSince1970: clock.wall())
    }
    if let date = response.serverDate, isBackend(request.url.origin) {
      let received = clock.monotonic()
      core.withLock { core in
        core.machine.learn(
          serverTime: date.timeIntervalSince1970,
          sent: sent,
          received: received
        )
      }
    }
    return response
  }

  /// The header fields of http.md; the caller's own stand where they say something else.
  func headers(_ own: HTTPHeaders, contentType: String?, requestID: String) -> HTTPHeaders {
    var headers = own
    headers.reserve(own.fields.count + commonHeaders.count + 3)
    func add(_ name: String, _ value: String) {
      if own.fields.isEmpty || own[name] == nil { headers.add(name, value) }
    }
    add("Accept", "application/json")
    if let contentType { add("Content-Type", contentType) }
    for (name, value) in commonHeaders { add(name, value) }
    if own.fields.isEmpty {
      headers.add("X-Request-Id", requestID)
    } else {
      headers["X-Request-Id"] = requestID
    }
    return headers
  }

  /// Whether an origin is the session's, or where nobody is signed in the configured one.
  private func isBackend(_ origin: HTTPURL.Origin) -> Bool {
    origin == sessionOrigin ?? configuration.baseURL.origin
  }

  /// The only origin that gets the session's token.
  var sessionOrigin: HTTPURL.Origin? {
    core.withLock { $0.machine.owner }.flatMap { origin(of: $0.baseURL) }
  }

  /// The origin of a session's backend.
  func origin(of baseURL: String) -> HTTPURL.Origin? {
    baseURL == baseText ? configuration.baseURL.origin : (try? HTTPURL(parsing: baseURL))?.origin
  }
}

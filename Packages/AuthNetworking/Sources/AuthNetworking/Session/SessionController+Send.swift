internal import SessionModels
internal import Synchronization

extension SessionController {
  /// Sends a request, with the session's token where it says so and where the URL is of the
  /// session's own origin (R8); after a 401 refreshes once and replays it once (R6, R7).
  ///
  /// Every answer is an answer, whatever its status; a 401 to the replay too, which leaves the
  /// session as it is. At most ten redirects are followed, as ``RedirectPolicy`` says; the replay
  /// begins where the request did.
  ///
  /// - Throws: ``AuthError``: `invalidInput` for a URL that cannot be, `notSignedIn`,
  ///   `sessionEnded`, `storage`, `cancelled`, `rejected` for an answer that is too large or an
  ///   eleventh redirect, or why no answer came.
  public func send(_ request: APIRequest) async throws(AuthError) -> APIResponse {
    let url = try url(of: request.path, base: configuration.baseURL)
    guard try carriesToken(request, to: url) else {
      return try await attempt(request, url, authorisation: nil).response
    }
    try requireSecure(url)
    let authorisation = try await authorisation()
    try requireOwner(of: authorisation, is: url.origin)
    let answer = try await attempt(request, url, authorisation: authorisation)
    // The 401 of a stranger to whom a redirect led says nothing about a token that he never got.
    guard answer.response.status == 401, answer.carriedToken else {
      if answer.carriedToken { noteAccepted(authorisation.token) }
      return answer.response
    }
    guard
      let newer = try await replacement(
        of: authorisation.token,
        generation: authorisation.generation
      )
    else { return answer.response }
    let replayed = try await attempt(request, url, authorisation: newer)
    if replayed.carriedToken, replayed.response.status != 401 { noteAccepted(newer.token) }
    return replayed.response
  }

  /// Whether the session's token goes with a request: said by the request, never guessed from its
  /// path (R12), and refused to every other origin.
  private func carriesToken(
    _ request: APIRequest,
    to url: HTTPURL
  ) throws(AuthError) -> Bool {
    guard request.carriesToken, request.headers["Authorization"] == nil,
      !isCredentialExchange(url)
    else { return false }
    if let origin = sessionOrigin { return url.origin == origin }
    // Nobody is signed in as far as this process knows: the authorisation says what is the matter.
    return url.origin == configuration.baseURL.origin
  }

  /// R8: while the token was waited for, somebody may have signed in with another backend.
  private func requireOwner(
    of authorisation: Authorisation,
    is origin: HTTPURL.Origin
  ) throws(AuthError) {
    let session = core.withLock { $0.machine.session }
    guard session?.generation == authorisation.generation, sessionOrigin == origin else {
      throw .sessionChanged
    }
  }

  /// Sends a request once, and follows where its answer redirects to.
  private func attempt(
    _ request: APIRequest,
    _ url: HTTPURL,
    authorisation: Authorisation?
  ) async throws(AuthError) -> (response: APIResponse, carriedToken: Bool) {
    let requestID = randomness.uuid()
    var exchange = HTTPRequest(
      method: request.method,
      url: url,
      headers: headers(request.headers, hasBody: request.body != nil, requestID: requestID),
      bearer: authorisation?.token.secret,
      body: request.body
    )
    exchange.timeout = request.timeout ?? configuration.requestTimeout
    exchange.maximumResponseBytes = configuration.maximumResponseBytes
    let deadline = clock.monotonic() + exchange.timeout
    var hops = 0
    while true {
      let answer = try await perform(exchange, requestID: requestID)
      let next: HTTPRequest?
      do {
        next =
          isCredentialExchange(exchange.url)
          ? nil : try RedirectPolicy().next(after: answer, to: exchange, hops: hops)
      } catch { throw AuthError(error, requestID: requestID) }
      guard let next else {
        return (APIResponse(answer, requestID: requestID), exchange.bearer != nil)
      }
      exchange = next
      // R12: a 401 of the login that a redirect led to is about no token.
      if isCredentialExchange(next.url) { exchange.bearer = nil }
      hops += 1
      exchange.timeout = deadline - clock.monotonic()
      guard exchange.timeout > .zero else {
        throw AuthError(.timeout, "The redirects took too long", requestID: requestID)
      }
    }
  }

  private func isCredentialExchange(_ url: HTTPURL) -> Bool {
    configuration.dialect.isCredentialExchange(url, base: configuration.baseURL)
  }

  private func noteAccepted(_ token: AccessToken) {
    core.withLock { core in
      if core.machine.acceptedToken != token { core.machine.accepted(token) }
    }
  }
}

internal import SessionModels
internal import Synchronization

extension SessionController {
  /// Sends a request, with the session's token where it says so and where the URL is of the
  /// session's own origin (R8); after a 401 refreshes once and replays it once (R6, R7).
  ///
  /// Every answer is an answer, whatever its status; a 401 to the replay too, which leaves the
  /// session as it is.
  ///
  /// - Throws: ``AuthError``: `invalidInput` for a URL that cannot be, `notSignedIn`,
  ///   `sessionEnded`, `storage`, `cancelled`, or why no answer came.
  public func send(_ request: APIRequest) async throws(AuthError) -> APIResponse {
    let url = try url(of: request.path, base: configuration.baseURL)
    guard try carriesToken(request, to: url) else {
      return try await attempt(request, url, authorisation: nil)
    }
    try requireSecure(url)
    let authorisation = try await authorisation()
    try requireOwner(of: authorisation, is: url.origin)
    let answer = try await attempt(request, url, authorisation: authorisation)
    guard answer.status == 401 else {
      noteAccepted(authorisation.token)
      return answer
    }
    guard
      let newer = try await replacement(
        of: authorisation.token,
        generation: authorisation.generation
      )
    else { return answer }
    let replayed = try await attempt(request, url, authorisation: newer)
    if replayed.status != 401 { noteAccepted(newer.token) }
    return replayed
  }

  /// Whether the session's token goes with a request: said by the request, never guessed from its
  /// path (R12), and refused to every other origin.
  private func carriesToken(
    _ request: APIRequest,
    to url: HTTPURL
  ) throws(AuthError) -> Bool {
    guard request.carriesToken, request.headers["Authorization"] == nil,
      !configuration.dialect.isCredentialExchange(url, base: configuration.baseURL)
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

  private func attempt(
    _ request: APIRequest,
    _ url: HTTPURL,
    authorisation: Authorisation?
  ) async throws(AuthError) -> APIResponse {
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
    return APIResponse(try await perform(exchange, requestID: requestID), requestID: requestID)
  }

  private func noteAccepted(_ token: AccessToken) {
    core.withLock { core in
      if core.machine.acceptedToken != token { core.machine.accepted(token) }
    }
  }
}

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
  ///   eleventh redirect, `body` for a body that cannot be read, or with status 401 not a second
  ///   time, `file` for a destination that cannot be written, or why no answer came.
  public func send(_ request: APIRequest) async throws(AuthError) -> APIResponse {
    guard let deadline = request.deadline else { return try await answer(to: request, until: nil) }
    let end = clock.monotonic() + deadline
    return try await answer(within: deadline) { [self] in
      do throws(AuthError) { return .success(try await answer(to: request, until: end)) } catch {
        return .failure(error)
      }
    }
  }

  private enum Outcome: Sendable {
    case answer(Result<APIResponse, AuthError>)
    case late
    case awake
  }

  /// Cancels what has not ended in time.
  private func answer(
    within deadline: Duration,
    _ operation: @escaping @Sendable () async -> Result<APIResponse, AuthError>
  ) async throws(AuthError) -> APIResponse {
    let result = await withTaskGroup(of: Outcome.self) { group in
      group.addTask { .answer(await operation()) }
      group.addTask { [clock] in
        (try? await clock.sleep(for: deadline)) == nil ? .awake : .late
      }
      var isLate = false
      for await outcome in group {
        switch outcome {
        case .awake: continue
        case .late:
          isLate = true
          group.cancelAll()
        case .answer(let result):
          group.cancelAll()
          if isLate, case .failure(let error) = result, error.code == .cancelled { continue }
          return result
        }
      }
      return .failure(AuthError(.timeout, "The request was not answered by its deadline"))
    }
    return try result.get()
  }

  private func answer(
    to request: APIRequest,
    until end: Duration?
  ) async throws(AuthError) -> APIResponse {
    var mayHaveArrived = false
    do throws(AuthError) {
      return try await answer(to: request, until: end, mayHaveArrived: &mayHaveArrived)
    } catch {
      var error = error
      if !mayHaveArrived { error.isWithoutEffect = true }
      throw error
    }
  }

  // `mayHaveArrived` is on while an error is about an attempt, which knows for itself whether it got
  // out.
  private func answer(
    to request: APIRequest,
    until end: Duration?,
    mayHaveArrived: inout Bool
  ) async throws(AuthError) -> APIResponse {
    let url = try url(of: request.path, base: configuration.baseURL)
    guard try carriesToken(request, to: url) else {
      mayHaveArrived = true
      return try await attempt(request, url, authorisation: nil, until: end).response
    }
    try requireSecure(url)
    let authorisation = try await authorisation()
    try requireOwner(of: authorisation, is: url.origin)
    if let wanted = request.sessionGeneration, wanted != authorisation.generation {
      throw .sessionChanged
    }
    mayHaveArrived = true
    let answer = try await attempt(request, url, authorisation: authorisation, until: end)
    // The 401 of a stranger to whom a redirect led says nothing about a token that he never got.
    guard answer.response.status == 401, answer.carriedToken else {
      if answer.carriedToken { noteAccepted(authorisation.token) }
      return answer.response
    }
    // Refused: until it is made again, nothing came of it.
    mayHaveArrived = false
    guard
      let newer = try await replacement(
        of: authorisation.token,
        generation: authorisation.generation
      )
    else { return answer.response }
    if let content = request.content, !content.isReplayable {
      var error = AuthError(BodyStream.spent, requestID: answer.response.requestID)
      error.status = 401
      throw error
    }
    mayHaveArrived = true
    let replayed = try await attempt(request, url, authorisation: newer, until: end)
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
    guard let owner = core.withLock({ $0.machine.owner }),
      owner.generation == authorisation.generation, self.origin(of: owner.baseURL) == origin
    else { throw .sessionChanged }
  }

  /// Sends a request once, and follows where its answer redirects to.
  private func attempt(
    _ request: APIRequest,
    _ url: HTTPURL,
    authorisation: Authorisation?,
    until end: Duration?
  ) async throws(AuthError) -> (response: APIResponse, carriedToken: Bool) {
    let requestID = randomness.uuid()
    let now = clock.monotonic()
    let limit = now + (request.timeout ?? configuration.requestTimeout)
    let deadline = min(limit, end ?? limit)
    var exchange = exchange(request, url, requestID: requestID)
    exchange.bearer = authorisation?.token.secret
    exchange.timeout = deadline - now
    var hops = 0
    while true {
      let answer: HTTPResponse
      do throws(AuthError) { answer = try await perform(exchange, requestID: requestID) } catch {
        var error = error
        // Who redirects may have carried out what he was sent.
        if hops > 0 { error.isWithoutEffect = false }
        throw error
      }
      let next: HTTPRequest?
      do {
        next =
          !(300...399).contains(answer.status) || isCredentialExchange(exchange.url)
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

  private func exchange(
    _ request: APIRequest,
    _ url: HTTPURL,
    requestID: String
  ) -> HTTPRequest {
    var own = request.headers
    if let key = request.idempotencyKey { own[IdempotencyKey.headerName] = key.headerValue }
    let type = request.content?.contentType
    var exchange = HTTPRequest(
      method: request.method,
      url: url,
      headers: headers(own, contentType: type, requestID: requestID)
    )
    exchange.content = request.content
    exchange.maximumResponseBytes =
      request.maximumResponseBytes ?? configuration.maximumResponseBytes
    exchange.destination = request.destination
    exchange.onProgress = request.onProgress
    return exchange
  }

  private func isCredentialExchange(_ url: HTTPURL) -> Bool {
    credentialPaths.contains(url)
  }

  private func noteAccepted(_ token: AccessToken) {
    core.withLock { core in
      if core.machine.acceptedToken != token { core.machine.accepted(token) }
    }
  }
}

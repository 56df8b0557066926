internal import SecureStorage
public import SessionModels
internal import Synchronization

extension SessionController {
  /// Asks the backend who is signed in, and keeps the answer beside the session.
  ///
  /// Where the store cannot be written the user is returned all the same, and the log says so;
  /// ``authInfo`` then has the one before.
  ///
  /// - Throws: ``AuthError``, as ``send(_:)``; `rejected` or a temporary one for a status of 400
  ///   and more; `server` for an answer that is no user.
  public func currentUser() async throws(AuthError) -> User {
    try await user(from: configuration.dialect.currentUser())
  }

  /// Tells the backend that onboarding is done, and keeps the user that it answers.
  ///
  /// - Returns: the user, or nil where the dialect has no onboarding.
  /// - Throws: ``AuthError``, as ``currentUser()``.
  public func completeOnboarding() async throws(AuthError) -> User? {
    guard let call = configuration.dialect.completeOnboarding() else { return nil }
    return try await user(from: call)
  }

  /// The error that an answer with a status of 400 and more tells, without the session's secrets.
  public func failure(of answer: APIResponse) -> AuthError {
    finished(configuration.dialect.failure(from: answer.httpResponse), answer)
  }

  private func user(from call: APICall) async throws(AuthError) -> User {
    let generation = core.withLock { $0.machine.session?.generation }
    let answer = try await send(APIRequest(call))
    let user: User
    do { user = try configuration.dialect.user(from: answer.httpResponse) } catch {
      throw finished(error, answer)
    }
    if authInfo?.user != user {
      let result = await update { record in
        guard record.generation == generation, record.authInfo != nil else { return nil }
        var record = record
        record.authInfo?.user = user
        return record
      }
      if case .failure(let error) = result {
        // The server has answered: what is kept of it for later is not what was asked for.
        note(.error, "The user cannot be kept: \(error)", requestID: answer.requestID)
      }
      readStore()
    }
    return user
  }

  func finished(_ error: AuthError, _ answer: APIResponse) -> AuthError {
    let session = authInfo?.session
    let secrets = [session?.accessToken?.secret, session?.refreshToken, session?.identitySeed]
    var error = error.redacted(by: Redactor(secrets.compactMap { $0 }))
    error.requestID = answer.requestID
    return error
  }
}

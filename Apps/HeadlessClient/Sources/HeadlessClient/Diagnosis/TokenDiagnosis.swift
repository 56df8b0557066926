internal import AuthNetworking
internal import SecureStorage

/// The check of `doctor` that tries the session, by one request as any command makes it.
struct TokenDiagnosis {
  private let context: CommandContext
  private let network: NetworkDiagnosis

  init(_ context: CommandContext, _ network: NetworkDiagnosis) {
    self.context = context
    self.network = network
  }

  func token() async -> Finding {
    guard (try? await context.client.record().authInfo) != nil else {
      return .skipped("there is no session to try")
    }
    do {
      let controller = try await context.client.controller()
      let backend = try await context.client.backend()
      guard context.client.isOfSession(backend, controller) else {
        return .skipped("the session is another backend's")
      }
      guard await network.hasAnswered else { return .skipped("the backend did not answer") }
      return try await ask(backend, controller)
    } catch {
      return Finding(error, remedy(for: error))
    }
  }

  private func ask(
    _ backend: Backend,
    _ controller: SessionController
  ) async throws(ClientError) -> Finding {
    let call = backend.api.currentUser()
    var request = APIRequest(call.method, call.path)
    request.timeout = context.settings.timeout ?? .seconds(5)
    let answer = try await withAuthErrors { [request] () async throws(AuthError) in
      try await controller.send(request)
    }
    guard answer.status >= 400 else { return Finding("the backend takes this session's token") }
    var error = ClientError(controller.failure(of: answer))
    if answer.status == 401 {
      error.message = "the backend refuses this session's token, and a fresh one as well"
    }
    throw error
  }

  private func remedy(for error: ClientError) -> Remedy? {
    let login = ShellLine(context).own("login IDENTIFIER")
    if error.exitStatus == .notSignedIn { return Remedy("Sign in again", run: login) }
    guard error.status == 401 else { return nil }
    return Remedy(
      "Sign in again; where that does not help, ask the backend's operators",
      run: login
    )
  }
}

internal import AuthNetworking

/// One request sent many times, so many at once.
struct RequestRun {
  let controller: SessionController
  let request: APIRequest
  /// Whether each request gets an idempotency key of its own.
  let makesKeys: Bool
  let count: Int
  let concurrency: Int

  /// Hands the answers over, one at a time in the order in which they come.
  ///
  /// While one is being handled no other is started in its place: a slow reader slows the
  /// requests down, and no heap of answers grows.
  ///
  /// - Parameter handle: where it throws, what is under way is cancelled and no more is sent.
  /// - Throws: what `handle` throws.
  func forEachAnswer(
    _ handle: (Result<APIResponse, AuthError>) async throws(ClientError) -> Void
  ) async throws(ClientError) {
    let outcome = await withTaskGroup(
      of: Result<APIResponse, AuthError>.self,
      returning: Result<Void, ClientError>.self
    ) { group in
      var started = 0
      func start() {
        guard started < count, !Task.isCancelled else { return }
        started += 1
        var request = request
        if makesKeys { request.idempotencyKey = IdempotencyKey() }
        group.addTask { [controller, request] in await Self.answer(controller, request) }
      }
      for _ in 0..<min(concurrency, count) { start() }
      while let answer = await group.next() {
        do throws(ClientError) {
          try await handle(answer)
        } catch {
          group.cancelAll()
          return .failure(error)
        }
        start()
      }
      return .success(())
    }
    try outcome.get()
  }

  private static func answer(
    _ controller: SessionController,
    _ request: APIRequest
  ) async -> Result<APIResponse, AuthError> {
    do {
      return .success(try await controller.send(request))
    } catch {
      return .failure(error)
    }
  }
}

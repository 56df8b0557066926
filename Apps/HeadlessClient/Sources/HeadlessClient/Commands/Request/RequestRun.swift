internal import AuthNetworking

/// One request sent many times, so many at once, the answers in the order in which they come.
struct RequestRun: Sendable {
  let controller: SessionController
  let request: APIRequest
  let count: Int
  let concurrency: Int

  /// The answers; ending the iteration, or cancelling its task, ends what is under way.
  func answers() -> AsyncStream<Result<APIResponse, AuthError>> {
    // Not more is read ahead than is under way, since each place is taken by an answer's child.
    AsyncStream { continuation in
      let task = Task {
        await withTaskGroup(of: Result<APIResponse, AuthError>.self) { group in
          var started = 0
          while started < min(concurrency, count) {
            group.addTask { await answer() }
            started += 1
          }
          for await answer in group {
            continuation.yield(answer)
            if started < count, !Task.isCancelled {
              group.addTask { await self.answer() }
              started += 1
            }
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func answer() async -> Result<APIResponse, AuthError> {
    do {
      return .success(try await controller.send(request))
    } catch {
      return .failure(error)
    }
  }
}

extension Task where Failure == any Error {
  /// The task's value; the task is cancelled together with whoever waits for it, so that a test
  /// that fails by its time limit ends.
  var boundValue: Success {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}

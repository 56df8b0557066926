/// Tells when a task, and every task that it started, has come to its end.
///
/// Tasks inherit task-local values and let go of them at their end; so when the value dies, the
/// tasks are over, also those that nobody can await.
enum TaskEnd {
  private final class Witness: Sendable {
    let end: Gauge

    init(end: Gauge) { self.end = end }
    deinit { end.update { $0 = 1 } }
  }

  @TaskLocal private static var witness: Witness?

  /// Starts a task.
  ///
  /// - Returns: the task, and a wait for its end and that of all that it started.
  static func observe<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> (task: Task<Value, any Error>, end: @Sendable () async -> Void) {
    let end = Gauge()
    let task = $witness.withValue(Witness(end: end)) { Task { try await body() } }
    return (task, { await end.wait(for: 1) })
  }
}

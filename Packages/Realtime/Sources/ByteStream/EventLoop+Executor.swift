internal import Synchronization

/// Runs the jobs of tasks that prefer the loop (SE-0417).
///
/// A task that runs here is resumed without a change of thread by what the loop has received.
extension EventLoop: TaskExecutor {
  /// How many rounds of jobs run before the loop looks at its descriptors again.
  private static let rounds = 32

  /// Takes a job of a task; after ``stop()`` Swift's own pool gets it, so that no task is left.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    switch jobs.withLock({ $0.admit(job) }) {
    case .isQueued: break
    case .mustWake: interruptWait()
    case .isRefused: globalConcurrentExecutor.enqueue(job)
    }
  }

  /// Runs what is there and, for a while, what comes of it.
  ///
  /// - Parameter batch: empty, and empty again afterwards; kept for its storage.
  func runJobs(_ batch: inout [UnownedJob]) {
    for _ in 0..<Self.rounds {
      jobs.withLock { $0.takeAll(into: &batch) }
      if batch.isEmpty { return }
      for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
      batch.removeAll(keepingCapacity: true)
    }
  }

  /// Hands over what came before the thread ended.
  func passOnJobs() {
    for job in jobs.withLock({ $0.close() }) { globalConcurrentExecutor.enqueue(job) }
  }
}

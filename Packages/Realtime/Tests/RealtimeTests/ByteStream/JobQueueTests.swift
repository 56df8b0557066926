import Synchronization
import Testing

@testable import ByteStream

/// The queue's rules; the jobs are real ones, which an executor gave away and then ran.
@Suite struct JobQueueTests {
  /// Collects jobs without running them.
  final class Collector: TaskExecutor {
    let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    func runAll() {
      for job in jobs.withLock({ $0 }) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  private let collector = Collector()

  /// So many jobs, each of a task of its own.
  private func jobs(_ count: Int) -> [UnownedJob] {
    for _ in 0..<count { Task(executorPreference: collector) {} }
    return collector.jobs.withLock { $0 }
  }

  @Test func `the first job of a wait ends it, the next ones need not`() {
    defer { collector.runAll() }
    var queue = JobQueue()
    let jobs = jobs(3)
    #expect(queue.beginWait(milliseconds: -1) == -1)
    #expect(jobs.map { queue.admit($0) } == [.mustWake, .isQueued, .isQueued])
  }

  @Test func `an awake thread is not woken, and does not wait while there are jobs`() {
    defer { collector.runAll() }
    var queue = JobQueue()
    #expect(queue.admit(jobs(1)[0]) == .isQueued)
    #expect(queue.beginWait(milliseconds: -1) == 0)
    var batch: [UnownedJob] = []
    queue.takeAll(into: &batch)
    #expect(batch.count == 1)
    #expect(queue.beginWait(milliseconds: 7) == 7)
  }

  @Test func `what a handler resumes after a wait needs no wake`() {
    defer { collector.runAll() }
    var queue = JobQueue()
    _ = queue.beginWait(milliseconds: -1)
    queue.endWait()
    #expect(queue.admit(jobs(1)[0]) == .isQueued)
  }

  @Test func `closing gives back what is left, and refuses what comes`() {
    defer { collector.runAll() }
    var queue = JobQueue()
    let jobs = jobs(2)
    _ = queue.admit(jobs[0])
    #expect(queue.close().count == 1)
    #expect(queue.admit(jobs[1]) == .isRefused)
    #expect(queue.close().isEmpty)
  }
}

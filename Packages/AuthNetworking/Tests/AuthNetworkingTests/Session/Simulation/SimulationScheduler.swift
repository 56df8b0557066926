import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Takes the place of Swift's thread pool: one job at a time, on one thread, in an order that a
/// seed decides.
///
/// It takes over the pool of the whole process, so it belongs into a process of its own.
final class SimulationScheduler: Sendable {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  private static let current = Mutex<SimulationScheduler?>(nil)

  private let jobs = SimulationExecutor()

  /// Runs `body` with the pool replaced; false where this runtime has no such hook.
  static func withScheduler(_ body: (SimulationScheduler) -> Void) -> Bool {
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    let hook = symbol.assumingMemoryBound(to: Hook?.self)
    let scheduler = SimulationScheduler()
    current.withLock { $0 = scheduler }
    hook.pointee = { job, original in
      guard let scheduler = SimulationScheduler.current.withLock({ $0 }) else {
        return original(job)
      }
      scheduler.jobs.add(job)
    }
    body(scheduler)
    hook.pointee = nil
    current.withLock { $0 = nil }
    return true
  }

  /// Runs jobs until none is left, or so many have run.
  ///
  /// - Returns: How many ran.
  @discardableResult
  func run(atMost limit: Int = .max, choosing random: inout SeededGenerator) -> Int {
    var count = 0
    while count < limit {
      guard let job = jobs.take(choosing: { random.below($0) }) else { break }
      job.runSynchronously(on: jobs.asUnownedTaskExecutor())
      count += 1
    }
    return count
  }
}

/// Keeps the jobs that wait, those too that a running job hands on.
private final class SimulationExecutor: TaskExecutor {
  private let waiting = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  func add(_ job: UnownedJob) { waiting.withLock { $0.append(job) } }

  func take(choosing index: (_ count: Int) -> Int) -> UnownedJob? {
    waiting.withLock { $0.isEmpty ? nil : $0.remove(at: index($0.count)) }
  }
}

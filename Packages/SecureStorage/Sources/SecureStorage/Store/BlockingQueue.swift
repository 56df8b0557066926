internal import Dispatch
internal import Synchronization

/// A thread of a store's own, one job at a time: blocking calls stay off Swift's thread pool.
struct BlockingQueue: Sendable {
  /// What a queue knows itself by.
  private static let own = DispatchSpecificKey<ObjectIdentifier>()

  private let queue: DispatchQueue
  private let worker: Worker
  private let load = Load()

  init(label: String) {
    queue = DispatchQueue(label: label)
    worker = Worker(QueueExecutor(queue))
  }

  /// Runs tasks on the thread; their jobs are run where they stand, without a change of thread.
  ///
  /// Only from now on the queue knows its own thread: most are never asked, and the types for it are
  /// put together at run time, which would be a tenth of what opening a store takes.
  var executor: any TaskExecutor {
    queue.setSpecific(key: BlockingQueue.own, value: ObjectIdentifier(load))
    load.lend()
    return PreferredExecutor(queue)
  }

  func run<Result: Sendable>(
    _ job: @escaping @Sendable () throws(StorageError) -> Result
  ) async throws(StorageError) -> Result {
    load.begin()
    defer { load.end() }
    return isHere ? try job() : try await worker.run(job)
  }

  /// Whether the calling thread is the queue's, and so it is the caller's turn.
  private var isHere: Bool {
    load.isLent
      && DispatchQueue.getSpecific(key: BlockingQueue.own) == ObjectIdentifier(load)
  }

  /// Runs a job on the calling thread, which waits for its turn.
  func runHere<Result>(
    _ job: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    load.begin()
    defer { load.end() }
    if isHere { return try job() }
    let answer = Answer<Result>()
    queue.sync { answer.take(job) }
    return try answer.get()
  }

  /// Runs a job that does not block on the calling thread, where no other job waits or runs.
  func runHereIfIdle<Result>(
    _ job: () throws(StorageError) -> Result?
  ) throws(StorageError) -> Result? {
    guard load.beginAlone() else { return nil }
    defer { load.end() }
    return try job()
  }

  /// How many jobs there are, and whether tasks of others may be on the thread.
  private final class Load: Sendable {
    private let jobs = Atomic(0)
    private let lent = Atomic(false)

    var isLent: Bool { lent.load(ordering: .acquiring) }

    func lend() { lent.store(true, ordering: .releasing) }

    func begin() { jobs.add(1, ordering: .acquiringAndReleasing) }

    func end() { jobs.subtract(1, ordering: .acquiringAndReleasing) }

    func beginAlone() -> Bool {
      jobs.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged
    }
  }

  /// Runs jobs on the queue, and lets their callers go on where they came from at once: a
  /// continuation would lead them there by way of Swift's pool.
  private actor Worker {
    private let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: QueueExecutor) { self.executor = executor }

    func run<Result: Sendable>(
      _ job: @Sendable () throws(StorageError) -> Result
    ) throws(StorageError) -> Result { try job() }
  }

  private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// The same thread for tasks that prefer it.
  private final class PreferredExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}

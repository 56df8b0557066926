/// The jobs that wait for the loop's thread, and whether that thread has to be woken for them.
///
/// A value without lock or I/O.
struct JobQueue {
  /// What is to be done for a job that came.
  enum Admission: Equatable {
    /// The thread is awake, and looks here before it waits again.
    case isQueued

    /// The thread waits: end its wait.
    case mustWake

    /// The thread is gone, and the job was not kept.
    case isRefused
  }

  private var jobs: [UnownedJob] = []
  private var isWaiting = false
  private var isClosed = false

  /// Takes a job; the first one of a wait asks for its end, and no other one does.
  mutating func admit(_ job: UnownedJob) -> Admission {
    if isClosed { return .isRefused }
    jobs.append(job)
    guard isWaiting else { return .isQueued }
    isWaiting = false
    return .mustWake
  }

  /// The thread is about to wait for so long; not at all while there are jobs.
  mutating func beginWait(milliseconds: Int32) -> Int32 {
    guard jobs.isEmpty else { return 0 }
    isWaiting = milliseconds != 0
    return milliseconds
  }

  /// The wait is over; jobs that come need no wake until the next one begins.
  mutating func endWait() { isWaiting = false }

  /// Takes all jobs, in the order in which they came.
  ///
  /// - Parameter batch: empty; its storage is kept for the jobs to come.
  mutating func takeAll(into batch: inout [UnownedJob]) {
    isWaiting = false
    swap(&jobs, &batch)
  }

  /// The thread ends: what is left, and nothing is admitted any more.
  mutating func close() -> [UnownedJob] {
    isClosed = true
    defer { jobs = [] }
    return jobs
  }
}

internal import Dispatch
internal import Synchronization

/// Does blocking work for callers on Swift's pool, on so many threads as there are workers.
///
/// Work begins in the order in which it came.
package final class BlockingWorkers: Sendable {
  package typealias Job = @Sendable () -> Void

  private struct State {
    var idle: [DispatchQueue]
    var jobs: [Job] = []
    // Jobs before this one were taken; so a long queue is not moved at each step.
    var next = 0

    mutating func takeJob() -> Job? {
      guard next < jobs.count else {
        (jobs, next) = ([], 0)
        return nil
      }
      next += 1
      return jobs[next - 1]
    }
  }

  private let state: Mutex<State>

  package init(label: String, count: Int) {
    // Serial queues: a concurrent one makes a thread for each job that blocks.
    let queues = (1...max(1, count)).map { DispatchQueue(label: "\(label).\($0)") }
    state = Mutex(State(idle: queues))
  }

  package func enqueue(_ job: @escaping Job) {
    let worker = state.withLock { state in
      state.jobs.append(job)
      return state.idle.popLast()
    }
    worker?.async { self.work(on: worker) }
  }

  private func work(on queue: DispatchQueue?) {
    while true {
      let job = state.withLock { state in
        let job = state.takeJob()
        if job == nil, let queue { state.idle.append(queue) }
        return job
      }
      guard let job else { return }
      job()
    }
  }
}
